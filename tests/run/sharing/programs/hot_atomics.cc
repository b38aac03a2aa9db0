// SPDX-License-Identifier: GPL-2.0-or-later
// Two counters of one object, each of another pair of threads: in pairs truly shared, between the pairs by chance.
// EXPECT: FalseSharing 'heap block server of main' 'Put server->(requests|errors) .*server->(requests|errors) '
#include <atomic>
#include <thread>
#include <vector>

struct Server {
    std::atomic<long> requests{0};
#ifdef MENDED
    alignas(64)
#endif
    std::atomic<long> errors{0};
    long limit = 100;
};

int main() {
    Server* server = new Server;
    std::vector<std::thread> threads;
    for (int index = 0; index < 2; ++index)
        threads.emplace_back([server, index] {
            std::atomic<long>& mine = index == 0 ? server->requests : server->errors;
            for (int i = 0; i < 20000; ++i) mine.fetch_add(1, std::memory_order_relaxed);
        });
    for (auto& each : threads) each.join();
    const bool right = server->requests == 20000 && server->errors == 20000;
    delete server;
    return right ? 0 : 1;
}
