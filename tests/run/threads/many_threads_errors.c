// SPDX-License-Identifier: GPL-2.0-or-later
// PROVES: the same defect in 20 threads is reported once, in the first thread that met it.
// COMPILE: gcc -O0 -O2 -pthread
#include <pthread.h>
#include <stdlib.h>
#include "case.h"

static volatile char* shared;

static void* run(void* unused) {
    for (int i = 0; i < 16; i++) shared[i] = 1;
    shared[16] = 1;  /* expect: InvalidWrite alloc=A */
    return 0;
}

int main(void) {
    shared = (char*)malloc(16);  /* label: A */
    pthread_t t[20];
    for (int i = 0; i < 20; i++) pthread_create(&t[i], 0, run, 0);
    for (int i = 0; i < 20; i++) pthread_join(t[i], 0);
    free((void*)shared);
    return 0;
}
