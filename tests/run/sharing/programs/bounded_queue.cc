// SPDX-License-Identifier: GPL-2.0-or-later
// A bounded queue of several producers and consumers: all threads use all cells, each of the indices is counted by
// some and hardly looked at by the others. To count takes a look at a cell in between, so nobody can have a copy.
// EXPECT: FalseSharing queue 'Put queue.in_ .several threads., queue.out_ .several threads. on lines of their own' unsteady
#include <atomic>
#include <thread>
#include <vector>

#define ROUNDS 4000

class Queue {
public:
    Queue() {
        for (unsigned i = 0; i < kCells; ++i) cells_[i].turn.store(i, std::memory_order_relaxed);
    }
    bool put(int value) {
        for (unsigned at = in_.load(std::memory_order_relaxed);;) {
            Cell& cell = cells_[at % kCells];
            const int ahead = static_cast<int>(cell.turn.load(std::memory_order_acquire) - at);
            if (ahead < 0) return false;
            if (ahead > 0) {
                at = in_.load();
            } else if (in_.compare_exchange_weak(at, at + 1)) {
                cell.value = value;
                cell.turn.store(at + 1, std::memory_order_release);
                return true;
            }
        }
    }
    bool take(int* value) {
        for (unsigned at = out_.load(std::memory_order_relaxed);;) {
            Cell& cell = cells_[at % kCells];
            const int ahead = static_cast<int>(cell.turn.load(std::memory_order_acquire) - (at + 1));
            if (ahead < 0) return false;
            if (ahead > 0) {
                at = out_.load();
            } else if (out_.compare_exchange_weak(at, at + 1)) {
                *value = cell.value;
                cell.turn.store(at + kCells, std::memory_order_release);
                return true;
            }
        }
    }

private:
    static constexpr unsigned kCells = 64;
    struct Cell {
        std::atomic<unsigned> turn;
        int value;
    };
    Cell cells_[kCells];
#ifdef MENDED
    alignas(64) std::atomic<unsigned> in_{0};
    alignas(64) std::atomic<unsigned> out_{0};
#else
    std::atomic<unsigned> in_{0}, out_{0};
#endif
};
alignas(64) static Queue queue;
alignas(64) static std::atomic<int> left{2 * ROUNDS};

static void produce() {
    for (int i = 0; i < ROUNDS; ++i)
        while (!queue.put(i)) std::this_thread::yield();
}

static void consume(long* sum) {
    while (left.load() > 0) {
        int value;
        if (queue.take(&value)) {
            *sum += value;
            --left;
        } else {
            std::this_thread::yield();
        }
    }
}

int main() {
    struct alignas(64) Sum {
        long value = 0;
    } sums[2];
    std::vector<std::thread> threads;
    for (int i = 0; i < 2; ++i) threads.emplace_back(produce);
    for (Sum& sum : sums) threads.emplace_back(consume, &sum.value);
    for (std::thread& thread : threads) thread.join();
    return sums[0].value + sums[1].value != 2L * ROUNDS * (ROUNDS - 1) / 2;
}
