// SPDX-License-Identifier: GPL-2.0-or-later
//
// Benchmark: four std::threads take pieces of work from queues of their own, and from a neighbour's when theirs
// is empty. A piece counts the words of a text in a map. Locks, heap blocks that change hands, some real sharing.
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace {

constexpr int kWorkers = 4;

struct Piece {
    unsigned seed;
    std::string text;
};

struct alignas(64) Queue {
    std::mutex lock;
    std::condition_variable changed;
    std::deque<std::unique_ptr<Piece>> pieces;
    bool closed = false;

    std::unique_ptr<Piece> take(bool wait) {
        std::unique_lock<std::mutex> hold(lock);
        if (wait) changed.wait(hold, [this] { return closed || !pieces.empty(); });
        if (pieces.empty()) return nullptr;
        std::unique_ptr<Piece> piece = std::move(pieces.front());
        pieces.pop_front();
        return piece;
    }
};

Queue queues[kWorkers];
std::mutex result_lock;
std::map<std::string, long> result;

unsigned next(unsigned& state) {
    state = state * 1664525u + 1013904223u;
    return state >> 8;
}

void work(int index) {
    std::map<std::string, long> words;
    for (;;) {
        std::unique_ptr<Piece> piece = queues[index].take(true);
        for (int other = 1; other < kWorkers && !piece; ++other)
            piece = queues[(index + other) % kWorkers].take(false);
        if (!piece) break;
        std::string word;
        for (char c : piece->text) {
            if (c != ' ') {
                word += c;
            } else if (!word.empty()) {
                ++words[word];
                word.clear();
            }
        }
    }
    const std::lock_guard<std::mutex> hold(result_lock);
    for (const auto& [word, count] : words) result[word] += count;
}

}  // namespace

int main(int argc, char** argv) {
    const int pieces = argc > 1 ? std::atoi(argv[1]) : 100;
    std::vector<std::thread> threads;
    for (int i = 0; i < kWorkers; ++i) threads.emplace_back(work, i);
    unsigned state = 1;
    for (int i = 0; i < pieces; ++i) {
        auto piece = std::make_unique<Piece>();
        piece->seed = next(state);
        for (int word = 0; word < 1500; ++word) {
            for (unsigned length = 2 + next(state) % 3; length > 0; --length)
                piece->text += static_cast<char>('a' + next(state) % 6);
            piece->text += ' ';
        }
        Queue& queue = queues[i % kWorkers];
        const std::lock_guard<std::mutex> hold(queue.lock);
        queue.pieces.push_back(std::move(piece));
        queue.changed.notify_one();
    }
    for (Queue& queue : queues) {
        const std::lock_guard<std::mutex> hold(queue.lock);
        queue.closed = true;
        queue.changed.notify_all();
    }
    for (std::thread& thread : threads) thread.join();
    long sum = 0;
    for (const auto& [word, count] : result) sum = (sum * 31 + count + static_cast<long>(word.size())) % 1000003;
    std::printf("%zu %ld\n", result.size(), sum);
    return 0;
}
