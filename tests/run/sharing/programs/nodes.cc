// SPDX-License-Identifier: GPL-2.0-or-later
// Nodes of a map are dealt out to threads: each is changed by one thread, and all go by its links. The lock that is
// declared at the line which makes the nodes does not own them.
// EXPECT: FalseSharing 'heap blocks of' '(Separate what is written .|Move )bytes 40..55 of each of the heap blocks' apart
#include <cstdio>
#include <map>
#include <mutex>
#include <thread>
#include <vector>

#ifdef MENDED
struct alignas(64) Particle {
#else
struct Particle {
#endif
    double place = 0, speed = 1;
};

static void work(std::map<int, Particle>& all, int index) {
    for (int round = 0; round < 200; ++round) {
        int number = 0;
        for (auto& [key, each] : all)
            if (number++ % 4 == index) each.place += each.speed += 1;
    }
}

int main() {
    std::map<int, Particle> all;
    std::mutex mutex;
    for (int i = 0; i < 100; ++i) { std::lock_guard<std::mutex> lock(mutex); all[i].place = 0; }
    std::vector<std::thread> threads;
    for (int index = 0; index < 4; ++index) threads.emplace_back([&all, index] { work(all, index); });
    for (std::thread& thread : threads) thread.join();
    double sum = 0;
    for (const auto& [key, each] : all) sum += each.place;
    return sum == 100 * (200.0 + 200 * 201 / 2) ? 0 : 1;
}
