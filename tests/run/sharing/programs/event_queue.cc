// SPDX-License-Identifier: GPL-2.0-or-later
// Threads take events from one queue under a lock, and put others in. No layout helps; the queue has the name that the
// program gives it, not that of what the library has inside.
// EXPECT: TrueSharing|FalseSharing world.events 'take turns with heap block world.events of fill .*, under world.lock of main: take the lock less often' unsteady
#include <memory>
#include <mutex>
#include <queue>
#include <thread>
#include <vector>

struct Event {
    long when;
    int kind;
    bool operator<(const Event& other) const { return when > other.when; }
};
struct World {
    std::priority_queue<Event> events;
    long padding[16];
    std::mutex lock;
};

static void fill(World& world, int events) {
    for (int i = 0; i < events; ++i) world.events.push({i * 7 % 101, 10});
}

static void work(World& world, unsigned seed) {
    for (;;) {
        Event next;
        {
            std::lock_guard<std::mutex> guard(world.lock);
            if (world.events.empty()) return;
            next = world.events.top();
            world.events.pop();
        }
        long sum = next.when;
        for (int i = 0; i < 40; ++i) sum += (seed = seed * 1103515245 + 12345) >> 20;
        if (next.kind == 0) continue;
        std::lock_guard<std::mutex> guard(world.lock);
        world.events.push({next.when + (sum & 255), next.kind - 1});
    }
}

int main() {
    constexpr int kThreads = 4, kEvents = 200;
    std::vector<std::thread> threads;
#ifdef MENDED
    std::vector<std::unique_ptr<World>> worlds;
    for (int i = 0; i < kThreads; ++i) worlds.push_back(std::make_unique<World>());
    for (int i = 0; i < kThreads; ++i) {
        fill(*worlds[i], kEvents / kThreads);
        threads.emplace_back([&, i] { work(*worlds[i], i); });
    }
#else
    World world;
    fill(world, kEvents);
    for (int i = 0; i < kThreads; ++i) threads.emplace_back([&, i] { work(world, i); });
#endif
    for (std::thread& thread : threads) thread.join();
    return 0;
}
