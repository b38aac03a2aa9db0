/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Four workers count what they find, each in a counter of its own. The counters stand next to each other in one
 * cache line, which therefore goes from core to core at each count: false sharing. With -DPADDED each has its own
 * line.
 */
#include <pthread.h>
#include <stdio.h>

enum { kWorkers = 4, kReadings = 50000 };

struct Counters {
#ifdef PADDED
    struct {
        _Alignas(64) long found;
    } worker[kWorkers];
#else
    struct {
        long found;
    } worker[kWorkers];
#endif
};

static _Alignas(64) struct Counters counters;

/* Something to look for. */
static int is_interesting(int worker, int number) { return (number * 31 + worker) % 8 != 0; }

static void* search(void* argument) {
    int worker = (int)(long)argument;
    for (int i = 0; i < kReadings; i++)
        if (is_interesting(worker, i))
            counters.worker[worker].found++;
    return NULL;
}

int main(void) {
    pthread_t threads[kWorkers];
    long sum = 0;
    for (long i = 0; i < kWorkers; i++)
        pthread_create(&threads[i], NULL, search, (void*)i);
    for (int i = 0; i < kWorkers; i++) {
        pthread_join(threads[i], NULL);
        sum += counters.worker[i].found;
    }
    printf("%d workers found %ld\n", kWorkers, sum);
    return 0;
}
