// SPDX-License-Identifier: GPL-2.0-or-later
// PROVES: an undefined value that one thread stores and another uses keeps its origin, and so does one in the
// thread's argument.
// COMPILE: gcc -O0 -O2 -pthread
#include <pthread.h>
#include <stdlib.h>
#include "case.h"

static long mailbox;

NOINLINE static void look(void) {
    BRANCH_ON(mailbox == 5);  /* expect: UninitCondition origin=A */
}
static void* give(void* p) {
    mailbox = ((long*)p)[3];
    ESCAPE(&mailbox);
    return 0;
}
static void* take(void* unused) {
    look();
    return 0;
}

int main(void) {
    long* p = HIDE((long*)malloc(64));  /* label: A */
    pthread_t t, u;
    pthread_create(&t, 0, give, p);
    pthread_join(t, 0);
    pthread_create(&u, 0, take, 0);
    pthread_join(u, 0);
    free(p);
    return 0;
}
