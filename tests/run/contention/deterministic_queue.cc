// SPDX-License-Identifier: GPL-2.0-or-later
// PROVES: the slowest thread runs next: in a queue without locks, who comes first and how often an update fails is the
// PROVES: same in each run
// COMPILE: gcc -O2 -std=c++17 -pthread
// REPEAT: 3
// SET: PAIRS=2 ITEMS=4000
// SHARING: anything
#include <atomic>
#include <thread>
#include <vector>

namespace {

struct Cell {
    std::atomic<unsigned> turn;
    long item;
};

constexpr unsigned kCells = 64;
Cell cells[kCells];
alignas(64) std::atomic<unsigned> head;
alignas(64) std::atomic<unsigned> tail;

// Waits for the cell's turn, and returns the place in the queue. `ahead`: of the turn before the place.
unsigned claim(std::atomic<unsigned>& next, unsigned ahead) {
    unsigned place = next.load(std::memory_order_relaxed);
    for (;;) {
        if (cells[place % kCells].turn.load(std::memory_order_acquire) != place + ahead) {
            std::this_thread::yield();
            place = next.load(std::memory_order_relaxed);
        } else if (next.compare_exchange_weak(place, place + 1)) {
            return place;
        }
    }
}

void put() {
    for (long i = 0; i < ITEMS; ++i) {
        const unsigned place = claim(head, 0);
        cells[place % kCells].item = i;
        cells[place % kCells].turn.store(place + 1, std::memory_order_release);
    }
}

void take(long& sum) {
    for (long i = 0; i < ITEMS; ++i) {
        const unsigned place = claim(tail, 1);
        sum += cells[place % kCells].item;
        cells[place % kCells].turn.store(place + kCells, std::memory_order_release);
    }
}

}  // namespace

int main() {
    for (unsigned i = 0; i < kCells; ++i) cells[i].turn = i;
    std::vector<std::thread> threads;
    static long sums[PAIRS];
    for (int i = 0; i < PAIRS; ++i) {
        threads.emplace_back(put);
        threads.emplace_back([i] { take(sums[i]); });
    }
    for (std::thread& thread : threads) thread.join();
    return sums[0] + sums[1] == long{PAIRS} * ITEMS * (ITEMS - 1) / 2 ? 0 : 1;
}
