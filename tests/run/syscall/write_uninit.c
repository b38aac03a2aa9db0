// SPDX-License-Identifier: GPL-2.0-or-later
// PROVES: write of a buffer with one undefined byte is reported with the call's name and the origin.
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "case.h"

int main(void) {
    int fd = open("/dev/null", O_WRONLY);
    char* p = HIDE((char*)malloc(100));  /* label: A */
    memset(p, 1, 99);
    if (write(fd, p, 99) != 99) return 1;
    if (write(fd, p, 100) != 100) return 2;  /* expect: SyscallParam origin=A text="write\(buf\)" */
    free(p);
    return 0;
}
