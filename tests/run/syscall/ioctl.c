// SPDX-License-Identifier: GPL-2.0-or-later
// PROVES: an ioctl that writes a struct into a block too small for it is reported, and a good one defines it.
#include <stdlib.h>
#include <sys/ioctl.h>
#include <unistd.h>
#include "case.h"

int main(void) {
    int ends[2];
    if (pipe(ends)) return 1;
    if (write(ends[1], "abc", 3) != 3) return 2;
    int* n = HIDE((int*)malloc(sizeof(int)));
    if (ioctl(ends[0], FIONREAD, n)) return 3;
    BRANCH_ON(*n == 3);
    if (*n != 3) return 4;
    free(n);
    int* small = HIDE((int*)malloc(2));  /* label: B */
    if (ioctl(ends[0], FIONREAD, small)) return 5;  /* expect: SyscallParam alloc=B text="ioctl" only=memcheck */ /* expect: InvalidWrite alloc=B text="ioctl" only=memspy */
    free(small);
    return 0;
}
