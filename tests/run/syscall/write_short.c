// SPDX-License-Identifier: GPL-2.0-or-later
// PROVES: write of more bytes than the block has is reported with the block.
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>
#include "case.h"

int main(void) {
    int fd = open("/dev/null", O_WRONLY);
    char* p = HIDE((char*)calloc(1, 100));  /* label: A */
    if (write(fd, p, 101) != 101) return 2;  /* expect: SyscallParam alloc=A text="write\(buf\)" only=memcheck */ /* expect: InvalidRead alloc=A text="write\(buf\)" only=memspy */
    free(p);
    return 0;
}
