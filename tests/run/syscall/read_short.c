// SPDX-License-Identifier: GPL-2.0-or-later
// PROVES: read into a block that is too small, and into a freed one, is reported.
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>
#include "case.h"

int main(void) {
    int fd = open("/dev/zero", O_RDONLY);
    char* p = HIDE((char*)malloc(50));  /* label: A */
    if (read(fd, p, 51) != 51) return 1;  /* expect: SyscallParam alloc=A text="read\(buf\)" only=memcheck */ /* expect: InvalidWrite alloc=A text="read\(buf\)" only=memspy */
    free(p);  /* label: F */
    if (read(fd, HIDE(p), 10) != 10) return 2;  /* expect: SyscallParam alloc=A free=F text="read\(buf\)" only=memcheck */ /* expect: InvalidWrite alloc=A free=F text="read\(buf\)" only=memspy */
    return 0;
}
