// SPDX-License-Identifier: GPL-2.0-or-later
// PROVES: writev is checked vector by vector: the one with undefined bytes is reported, not the others.
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>
#include "case.h"

int main(void) {
    int fd = open("/dev/null", O_WRONLY);
    char* a = HIDE((char*)calloc(1, 10));
    char* b = HIDE((char*)malloc(10));  /* label: B */
    memset(b, 1, 9);
    struct iovec v[2] = {{a, 10}, {b, 9}};
    if (writev(fd, v, 2) != 19) return 1;
    v[1].iov_len = 10;
    if (writev(fd, v, 2) != 20) return 2;  /* expect: SyscallParam origin=B text="writev\(vector\[" */
    free(a);
    free(b);
    return 0;
}
