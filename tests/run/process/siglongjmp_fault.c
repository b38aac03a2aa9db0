// SPDX-License-Identifier: GPL-2.0-or-later
// PROVES: a handler of SIGSEGV that leaves by siglongjmp is silent, many times over.
#include <setjmp.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include "case.h"

static sigjmp_buf back;
static void handler(int signal) { siglongjmp(back, signal); }

int main(void) {
    volatile char* wall = (char*)mmap(0, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    signal(SIGSEGV, handler);
    char* p = HIDE((char*)malloc(100));
    volatile int caught = 0;
    for (volatile int i = 0; i < 50; i++) {
        if (sigsetjmp(back, 1) == 0) {
            p[i] = 1;
            wall[i] = 1;  /* expect: InvalidWrite only=memcheck */
        } else
            caught++;
    }
    BRANCH_ON(p[49] == 1);
    free(p);
    return caught != 50;
}
