// SPDX-License-Identifier: GPL-2.0-or-later
// Elements that only their type tells: threads use some of them, at any distance; members of one width look like a row of a
// matrix; tasks of a pool take the elements of a small array in turn.
// EXPECT: FalseSharing 'inside slots' 'Pad each element of slots .24 bytes. to 64.*on struct Slot .typed_elements.cc' in=slots
// EXPECT: FalseSharing 'inside totals' 'Pad each element of totals .32 bytes. to 64.*on struct Totals .typed_elements.cc' in=totals
// EXPECT: FalseSharing 'block blocks of main' 'Pad each element of blocks .32 bytes. to 64.*on struct Block .typed_elements.cc' in=Block
// EXPECT: FalseSharing 'inside results' 'Pad each element of results .24 bytes. to 64.*on struct Result .typed_elements.cc' in=results
#include <atomic>
#include <thread>
#include <vector>

#ifndef MENDED
#define MENDED 0
#endif
#define OWN_LINE(number) alignas(MENDED == number ? 64 : 8)

struct OWN_LINE(1) Slot {
    volatile long bytes;
    long unused;
    volatile int state;
};
struct OWN_LINE(2) Totals {
    volatile long sums[4];
};
struct OWN_LINE(3) Block {
    volatile long reads, writes, hits, misses;
};
struct OWN_LINE(4) Result {
    volatile double sum;
    volatile long steps;
    volatile int id;
};

constexpr int kTasks = 16, kRounds = 10000;
alignas(64) Slot slots[16];
alignas(64) Totals totals[4];
alignas(64) Result results[kTasks];
alignas(64) std::atomic<int> next_task{0};

static void work(Block* block, int index) {
    const int mine[] = {9, 11, 12, 14};
    for (int i = 0; i < kRounds; ++i) {
        Slot& slot = slots[mine[index]];
        slot.bytes = slot.bytes + i;
        slot.state = i & 3;
    }
    for (int i = 0; i < kRounds; ++i)
        for (volatile long& sum : totals[index].sums) sum = sum + i;
    for (int i = 0; i < kRounds; ++i) {
        block->reads = block->reads + 1;
        block->writes = block->writes + i;
        block->hits = block->hits + 1;
        block->misses = block->misses + i;
    }
    for (int task; (task = next_task++) < kTasks;)
        for (int i = 0; i < 3000 + 500 * (task * 7 % 5); ++i) {
            results[task].sum = results[task].sum + i;
            results[task].steps = results[task].steps + 1;
        }
}

int main() {
    std::vector<Block> blocks(4);
    std::vector<std::thread> threads;
    for (int index = 0; index < 4; ++index) threads.emplace_back(work, &blocks[index], index);
    for (std::thread& thread : threads) thread.join();
    return blocks[1].reads == kRounds && results[3].steps != 0 ? 0 : 1;
}
