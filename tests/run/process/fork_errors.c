// SPDX-License-Identifier: GPL-2.0-or-later
// PROVES: after a fork parent and child each write an XML file: both well-formed, with their own errors.
// PROCESSES: 2
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>
#include "case.h"

int main(void) {
    volatile int* p = HIDE((int*)malloc(40));  /* label: A */
    pid_t child = fork();
    if (!child) {
        p[10] = 1;  /* expect: InvalidWrite alloc=A in=child */
        free((void*)p);
        return 0;
    }
    int status;
    waitpid(child, &status, 0);
    if (status) return 1;
    p[-1] = 1;  /* expect: InvalidWrite alloc=A */
    free((void*)p);
    return 0;
}
