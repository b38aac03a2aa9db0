// SPDX-License-Identifier: GPL-2.0-or-later
// PROVES: _exit from another thread while the main one waits still gives the errors found and a FINISHED status.
// COMPILE: gcc -O0 -O2 -pthread
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>
#include "case.h"

static char* p;

static void* run(void* unused) {
    ((volatile char*)p)[5] = 1;  /* expect: InvalidWrite alloc=A */
    free(p);
    _exit(0);
}

int main(void) {
    p = (char*)malloc(5);  /* label: A */
    pthread_t t;
    pthread_create(&t, 0, run, 0);
    pthread_join(t, 0);
    return 1;
}
// ARGS: --show-leak-kinds=definite
