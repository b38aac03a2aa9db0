/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Two threads walk one array at the same speed, the second three words behind the first. */
#include <pthread.h>
#include <stdint.h>

enum { BEHIND = 3, N = 100000 };
static volatile int64_t walked[BEHIND + N];
static pthread_barrier_t start;

static __attribute__((noinline)) void walk(int first) {
    for (int i = 0; i < N; ++i) {
        (void)walked[first + i];
        /* More than one of them can be ahead when both leave the barrier. */
        __asm__ volatile(".rept 400\n\tnop\n\t.endr");
    }
}

static void *ahead(void *unused) {
    pthread_barrier_wait(&start);
    walk(BEHIND);
    return unused;
}

static void *behind(void *unused) {
    pthread_barrier_wait(&start);
    walk(0);
    return unused;
}

int main(void) {
    pthread_t one, two;
    pthread_barrier_init(&start, NULL, 2);
    pthread_create(&one, NULL, ahead, NULL);
    pthread_create(&two, NULL, behind, NULL);
    pthread_join(one, NULL);
    pthread_join(two, NULL);
    return 0;
}
