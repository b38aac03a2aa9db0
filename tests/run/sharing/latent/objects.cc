// SPDX-License-Identifier: GPL-2.0-or-later
//
// What C++ allocates: a vector of slots of SIZE bytes, one for each thread; slots that are allocated one by one; a vector for
// each thread, which grows.
#include <cstdint>
#include <memory>
#include <thread>
#include <vector>

#define SLOTS 0
#define SINGLE 1
#define GROWING 2

#ifndef THREADS
#define THREADS 4
#endif

struct alignas(SIZE) Slot {
    volatile long value = 0;
};

static void work(Slot& slot) {
    unsigned long value = 1;
    for (int i = 0; i < 40000; ++i) {
        for (int k = 0; k < 4; ++k) value = value * 6364136223846793005u + 1;
        slot.value = slot.value + static_cast<long>(value >> 40);
    }
}

int main() {
    std::vector<std::thread> threads;
#if CASE == SLOTS
    struct alignas(256) Slots {
        Slot each[THREADS];
    };
    const auto slots = std::make_unique<Slots>();
    for (Slot& slot : slots->each) threads.emplace_back([&slot] { work(slot); });
    for (std::thread& each : threads) each.join();
#elif CASE == SINGLE
    std::vector<std::unique_ptr<Slot>> slots;
    for (int i = 0; i < THREADS; ++i) slots.push_back(std::make_unique<Slot>());
    for (const auto& slot : slots) threads.emplace_back([&slot] { work(*slot); });
    for (std::thread& each : threads) each.join();
#else
    for (int t = 0; t < THREADS; ++t)
        threads.emplace_back([] {
            for (int round = 0; round < 40; ++round) {
                std::vector<long> mine;
                for (int i = 0; i < 500; ++i) mine.push_back(i);
            }
        });
    for (std::thread& each : threads) each.join();
#endif
}
