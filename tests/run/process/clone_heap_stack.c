// SPDX-License-Identifier: GPL-2.0-or-later
//
// PROVES: a process made by clone() on a stack in a heap block pushes and pops there, and so does the dynamic linker
// COMPILE: gcc clang -O0 -O2 -Wl,-z,lazy
// EXPECT: nothing
// PROCESSES: 2
#define _GNU_SOURCE
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

static int child(void* status) {
    // The first call of a lazily bound function.
    _exit(*(int*)status);
}

int main(void) {
    enum { kBytes = 65536 };
    char* stack = malloc(kBytes);
    int given = 5, status = 0;
    const pid_t process = clone(child, stack + kBytes, CLONE_VM | CLONE_VFORK | SIGCHLD, &given);
    waitpid(process, &status, 0);
    free(stack);
    return WIFEXITED(status) && WEXITSTATUS(status) == 5 ? 0 : 1;
}
