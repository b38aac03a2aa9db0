// SPDX-License-Identifier: GPL-2.0-or-later
// PROVES: an undefined number in a system call's argument is reported as contained in it.
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>
#include "case.h"

int main(void) {
    int fd = open("/dev/null", O_WRONLY);
    unsigned* p = HIDE((unsigned*)malloc(16));  /* label: A */
    ESCAPE(p);
    if (write(fd, "0123456789", p[1] & 7) > 7) return 1;  /* expect: SyscallParam origin=A text="write\(count\) contains" */ /* expect: UninitCondition origin=A maybe=yes */
    free(p);
    return 0;
}
