// SPDX-License-Identifier: GPL-2.0-or-later
// PROVES: a path without its terminator inside the block is reported for open.
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "case.h"

int main(void) {
    char* p = HIDE((char*)malloc(9));  /* label: A */
    memcpy(p, "/dev/null", 9);
    int fd = open(p, O_RDONLY);  /* expect: SyscallParam alloc=A text="open(at)?\(filename\)" only=memcheck */ /* expect: InvalidRead alloc=A text="open(at)?\(filename\)" only=memspy */
    if (fd >= 0) close(fd);
    free(p);
    return 0;
}
