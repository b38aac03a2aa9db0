// SPDX-License-Identifier: GPL-2.0-or-later
//
// Benchmark: thousands of threads one after another, four at a time, each of which does little. Their sum is printed.
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

enum { kAtATime = 4, kItems = 200 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static long total;

static void* work(void* argument) {
    long items[kItems], sum = 0;
    for (long i = 0; i < kItems; ++i) items[i] = i * (long)argument % 17;
    for (int i = 0; i < kItems; ++i) sum += items[i];
    pthread_mutex_lock(&lock);
    total += sum;
    pthread_mutex_unlock(&lock);
    return NULL;
}

int main(int argc, char** argv) {
    const long threads = argc > 1 ? atol(argv[1]) : 100;
    for (long done = 0; done < threads; done += kAtATime) {
        pthread_t some[kAtATime];
        for (long i = 0; i < kAtATime; ++i) pthread_create(&some[i], NULL, work, (void*)(done + i));
        for (int i = 0; i < kAtATime; ++i) pthread_join(some[i], NULL);
    }
    printf("%ld\n", total);
    return 0;
}
