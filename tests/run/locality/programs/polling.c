/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * A thread that works, and others that poll a flag until it is done: by a hint to the processor, and by a call that
 * yields. How often they poll depends on how the core lets threads run; in the replay they wait. */
#include <pthread.h>
#include <sched.h>

enum { WORDS = 20000, TIMES = 20 };
static double work[WORDS];
static int done;

static void hint(void) {
#if defined(__x86_64__)
    __asm__ volatile("pause");
#else
    __asm__ volatile("yield");
#endif
}

static void *with_hint(void *unused) {
    while (!__atomic_load_n(&done, __ATOMIC_ACQUIRE)) hint();
    return unused;
}

static void *with_call(void *unused) {
    while (!__atomic_load_n(&done, __ATOMIC_ACQUIRE)) sched_yield();
    return unused;
}

int main(void) {
    pthread_t pollers[2];
    pthread_create(&pollers[0], NULL, with_hint, NULL);
    pthread_create(&pollers[1], NULL, with_call, NULL);
    for (int i = 0; i < TIMES; ++i)
        for (int j = 0; j < WORDS; ++j) work[j] += j;
    __atomic_store_n(&done, 1, __ATOMIC_RELEASE);
    pthread_join(pollers[0], NULL);
    pthread_join(pollers[1], NULL);
    return (int)work[1] != TIMES;
}
