// SPDX-License-Identifier: GPL-2.0-or-later
// PROVES: data written by read, fstat, getcwd, pipe and clock_gettime is defined; bytes that a short read did not
// PROVES: write are not.
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>
#include "case.h"

int main(void) {
    int fd = open("/dev/zero", O_RDONLY);
    char* p = HIDE((char*)malloc(50));  /* label: A */
    if (read(fd, p, 40) != 40) return 1;
    BRANCH_ON(p[39] == 3);
    BRANCH_ON(p[40] == 3);  /* expect: UninitCondition origin=A */
    struct stat* info = HIDE((struct stat*)malloc(sizeof *info));
    if (fstat(fd, info)) return 2;
    BRANCH_ON(info->st_size == 3);
    BRANCH_ON(S_ISCHR(info->st_mode));
    char* cwd = HIDE((char*)malloc(4096));
    if (!getcwd(cwd, 4096)) return 3;
    BRANCH_ON(cwd[0] == '/');
    int* ends = HIDE((int*)malloc(2 * sizeof(int)));
    if (pipe(ends)) return 4;
    BRANCH_ON(ends[1] == 77);
    struct timespec* now = HIDE((struct timespec*)malloc(sizeof *now));
    clock_gettime(CLOCK_REALTIME, now);
    BRANCH_ON(now->tv_nsec == 5);
    free(p);
    free(info);
    free(cwd);
    free(ends);
    free(now);
    return 0;
}
