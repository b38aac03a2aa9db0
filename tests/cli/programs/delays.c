// SPDX-License-Identifier: GPL-2.0-or-later
// One thread waits for another with delays of 1,000 pauses between its looks. Prints how often it paused.
#include <pthread.h>
#include <stdio.h>

static int done;
static volatile long sum;

static void* work(void* unused) {
    for (long i = 0; i < 500000; ++i) sum += i;
    __atomic_store_n(&done, 1, __ATOMIC_RELEASE);
    return unused;
}

// Without an access to memory between the hints, also in unoptimised code.
static long delay(long hints) {
    long left = hints;
#if defined(__x86_64__)
    __asm__ volatile("1: pause\n dec %0\n jnz 1b" : "+r"(left) : : "cc");
#else
    __asm__ volatile("1: yield\n subs %0, %0, #1\n b.ne 1b" : "+r"(left) : : "cc");
#endif
    return hints;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, NULL, work, NULL);
    long pauses = 0;
    while (!__atomic_load_n(&done, __ATOMIC_ACQUIRE) || pauses < 200000) pauses += delay(1000);
    pthread_join(thread, NULL);
    printf("%ld\n", pauses);
    return 0;
}
