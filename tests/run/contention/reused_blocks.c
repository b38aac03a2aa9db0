// SPDX-License-Identifier: GPL-2.0-or-later
// PROVES: work buffers that threads allocate and free again are nobody's but theirs, though memspy's heap hands out the
// PROVES: memory that another thread has freed
// COMPILE: gcc clang -O0 -O2 -pthread
// SET: ROUNDS=25 WORDS=50000
// SET: ROUNDS=4000 WORDS=300
// The buffers have ROUNDS*WORDS/2 lines.
// COUNTS: modelled heap:buffer events<=ROUNDS*WORDS/50 missing<=ROUNDS*WORDS/50
// SHARING: anything
#include "workers.h"

static long sums[4 * LINE];

static void work(int index) {
    for (int round = 0; round < ROUNDS; ++round) {
        long* buffer = malloc((WORDS + (unsigned)index * 16) * sizeof *buffer); /* label: buffer */
        for (int i = 0; i < WORDS; ++i) STORE(buffer[i], i);
        long sum = 0;
        for (int i = 0; i < WORDS; ++i) sum += LOAD(buffer[i]);
        sums[index * LINE] += sum;
        free(buffer);
    }
}

int main(void) {
    run_threads(4, work);
    for (int i = 0; i < 4; ++i) NEED_TRUE(sums[i * LINE] == (long)ROUNDS * WORDS * (WORDS - 1) / 2);
    return 0;
}
