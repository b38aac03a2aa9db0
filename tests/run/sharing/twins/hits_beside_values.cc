// SPDX-License-Identifier: GPL-2.0-or-later
// Threads look up values, and count beside each how often. All counts are told of, not only that with most events.
// EXPECT: TrueSharing entries 'only add to entries.*hits.*keep a copy for each thread'
#include <atomic>

#include "../../include/workers.h"
enum { THREADS = 4, ENTRIES = 8, LOOKS = 2500 };
struct Entry {
    alignas(LINE) std::atomic<long> value;
    std::atomic<long> hits;
};
static Entry entries[ENTRIES];
struct Counts {
    alignas(LINE) long hits[ENTRIES];
};
static Counts counts[THREADS];
static volatile long sums[THREADS][LINE];

static void work(int index) {
    unsigned drawn = static_cast<unsigned>(index) + 1;
    for (int i = 0; i < LOOKS; ++i) {
        drawn = drawn * 1664525u + 1013904223u;
        const unsigned which = drawn >> 24 & (ENTRIES - 1);
        sums[index][0] = sums[index][0] + entries[which].value.load(std::memory_order_relaxed);
        pass_time(20);
#ifdef MENDED
        counts[index].hits[which]++;
#else
        entries[which].hits.fetch_add(1, std::memory_order_relaxed);
#endif
    }
}

int main() {
    run_together(THREADS, work);
    for (Counts& each : counts)
        for (int i = 0; i < ENTRIES; ++i) entries[i].hits += each.hits[i];
    return entries[0].hits == 0;
}
