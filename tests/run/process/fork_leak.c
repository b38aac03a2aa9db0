// SPDX-License-Identifier: GPL-2.0-or-later
// PROVES: a leak before a fork is reported by both processes, one in the child only by the child.
// PROCESSES: 2
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>
#include "case.h"

static char* volatile keep;

NOINLINE static void before(void) {
    keep = (char*)malloc(10);  /* leak: definite bytes=10 blocks=1 */ /* leak: definite bytes=10 blocks=1 in=child */
    keep = 0;
}
NOINLINE static void in_child(void) {
    keep = (char*)malloc(20);  /* leak: definite bytes=20 blocks=1 in=child */
    keep = 0;
}
NOINLINE static void wash(void) {
    volatile char area[8192];
    for (int i = 0; i < 8192; i++) area[i] = 0;
}

int main(void) {
    before();
    wash();
    pid_t child = fork();
    if (!child) {
        in_child();
        wash();
        return 0;
    }
    int status;
    waitpid(child, &status, 0);
    return status != 0;
}
