// SPDX-License-Identifier: GPL-2.0-or-later
// FLAGS: -pthread -std=c++20
// Classes with threads in them, as libraries have them: pools, caches, queues, timers, objects that end.
#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <functional>
#include <future>
#include <list>
#include <memory>
#include <mutex>
#include <optional>
#include <queue>
#include <shared_mutex>
#include <string>
#include <thread>
#include <unordered_map>
#include <vector>

namespace {
using namespace std::chrono_literals;
constexpr int kThreads = 3;
int total, results[16];

template <typename F>
void on_threads(F f) {
    std::vector<std::jthread> threads;
    for (int t = 0; t < kThreads; ++t) threads.emplace_back(f, t);
}

class Pool {
public:
    explicit Pool(int count) {
        for (int i = 0; i < count; ++i) workers_.emplace_back([this] { work(); });
    }
    ~Pool() {
        {
            std::lock_guard held(lock_);
            stops_ = true;
        }
        changed_.notify_all();
        for (std::thread& worker : workers_) worker.join();
    }
    template <typename F>
    std::future<int> run(F f) {
        auto task = std::make_shared<std::packaged_task<int()>>(std::move(f));
        std::future<int> result = task->get_future();
        {
            std::lock_guard held(lock_);
            tasks_.push([task] { (*task)(); });
        }
        changed_.notify_one();
        return result;
    }

private:
    void work() {
        for (;;) {
            std::function<void()> task;
            {
                std::unique_lock held(lock_);
                changed_.wait(held, [this] { return stops_ || !tasks_.empty(); });
                if (tasks_.empty()) return;
                task = std::move(tasks_.front());
                tasks_.pop();
            }
            task();
        }
    }
    std::mutex lock_;
    std::condition_variable changed_;
    std::queue<std::function<void()>> tasks_;
    bool stops_ = false;
    std::vector<std::thread> workers_;
};

class Cache {
public:
    int get(int key) {
        {
            std::shared_lock held(lock_);
            if (auto found = values_.find(key); found != values_.end()) {
                ++hits_;  // race(4): hits
                return found->second;
            }
        }
        std::unique_lock held(lock_);
        return values_[key] = key * key;
    }
#if CASE == 3
    std::atomic<int> hits_{0};
#else
    int hits_ = 0;
#endif

private:
    std::shared_mutex lock_;
    std::unordered_map<int, int> values_;
};

class Lazy {
public:
    const std::string& text() {
#if CASE == 5
        std::call_once(once_, [this] { text_ = new std::string("made"); });
#else
        if (text_ == nullptr) text_ = new std::string("made");  // race(6): text
#endif
        return *text_;  // race(6): text
    }

private:
    std::once_flag once_;
    std::string* text_ = nullptr;
};

class Logger {
public:
    Logger() : thread_([this] { run(); }) {}
    ~Logger() {
#if CASE == 7
        {
            std::lock_guard held(lock_);
            ends_ = true;
        }
#else
        ends_ = true;  // race(8): ends
#endif
        filled_.notify_one();
        thread_.join();
    }
    void log(int line) {
        {
            std::lock_guard held(lock_);
            lines_.push_back(line);
        }
        filled_.notify_one();
    }

private:
    void run() {
        std::unique_lock held(lock_);
        for (;;) {
            filled_.wait_for(held, 1ms, [this] { return ends_ || !lines_.empty(); });  // race(8): ends
            for (int line : lines_) written_ += line;
            lines_.clear();
            if (ends_) return;  // race(8): ends
        }
    }
    std::mutex lock_;
    std::condition_variable filled_;
    std::list<int> lines_;
    int written_ = 0;
    bool ends_ = false;
    std::thread thread_;
};

template <typename T, unsigned size>
class Ring {  // one producer, one consumer
public:
    bool push(T value) {
        const unsigned tail = tail_.load(std::memory_order_relaxed);
        if (tail - head_.load(std::memory_order_acquire) == size) return false;
        slots_[tail % size] = value;
        tail_.store(tail + 1, std::memory_order_release);
        return true;
    }
    std::optional<T> pop() {
        const unsigned head = head_.load(std::memory_order_relaxed);
        if (tail_.load(std::memory_order_acquire) == head) return std::nullopt;
        T value = slots_[head % size];
        head_.store(head + 1, std::memory_order_release);
        return value;
    }

private:
    std::atomic<unsigned> head_{0}, tail_{0};
    std::array<T, size> slots_{};
};

struct Shape {
    virtual ~Shape() = default;
    virtual int area() const { return 1; }
};
struct Square : Shape {
    int side = 3;
    int area() const override { return side * side; }  // race(13): shape
};

class TicketLock {
public:
    void lock() {
        const unsigned mine = next_.fetch_add(1, std::memory_order_relaxed);
        while (serving_.load(std::memory_order_acquire) != mine) std::this_thread::yield();
    }
    void unlock() { serving_.store(serving_.load(std::memory_order_relaxed) + 1, std::memory_order_release); }

private:
    std::atomic<unsigned> next_{0}, serving_{0};
};
}  // namespace

int main() {
#if CASE == 1  // tasks that hand back
    Pool pool(2);
    std::vector<std::future<int>> all;
    for (int i = 0; i < 10; ++i) all.push_back(pool.run([i] { return i * i; }));
    for (auto& one : all) total += one.get();
#elif CASE == 2  // tasks that add to one variable
    {
        Pool pool(2);
        for (int i = 0; i < 10; ++i)
            pool.run([i] {
                total += i;  // race: total
                return 0;
            });
    }
#elif CASE == 3 || CASE == 4
    Cache cache;
    on_threads([&](int t) {
        for (int i = 0; i < 30; ++i) results[t] += cache.get(i % 7);
    });
    total = cache.hits_;
#elif CASE == 5 || CASE == 6
    Lazy lazy;
    on_threads([&](int t) { results[t] = static_cast<int>(lazy.text().size()); });  // race(6): text
#elif CASE == 7 || CASE == 8
    Logger logger;
    for (int i = 0; i < 10; ++i) logger.log(i);
    std::this_thread::sleep_for(3ms);
#elif CASE == 9
    Ring<int, 8> ring;
    std::thread producer([&] {
        for (int i = 0; i < 40;)
            if (ring.push(i)) ++i;
            else std::this_thread::yield();
    });
    for (int got = 0; got < 40;)
        if (auto value = ring.pop()) {
            total += *value;
            ++got;
        } else {
            std::this_thread::yield();
        }
    producer.join();
#elif CASE == 11  // a ticket for each
    TicketLock lock;
    on_threads([&](int t) {
        for (int i = 0; i < 10; ++i) {
            std::lock_guard held(lock);
            total += t;
        }
    });
#elif CASE == 12  // a pointer that is replaced, with atomic<shared_ptr> of old
    auto shape = std::make_shared<Square>();
    on_threads([&](int t) {
        if (t == 0) std::atomic_store(&shape, std::make_shared<Square>());
        else results[t] = std::atomic_load(&shape)->area();
    });
#elif CASE == 13  // and plainly
    auto shape = std::make_shared<Square>();
    auto kept = shape;
    on_threads([&](int t) {
        if (t == 0) shape = std::make_shared<Square>();  // race: shape
        else results[t] = shape->area();  // race: shape
    });
#elif CASE == 14  // parts of a vector, by iterators
    std::vector<int> numbers(300);
    on_threads([&](int t) { std::fill(numbers.begin() + t * 100, numbers.begin() + t * 100 + 100, t); });
    total = numbers[150];
#elif CASE == 16  // captured by reference, the loop goes on
    std::vector<std::thread> threads;
    for (int i = 0; i < 3; ++i)  // race: i
        threads.emplace_back([&i] { results[7] += i; });  // race: i seven
    for (auto& thread : threads) thread.join();
#elif CASE == 17  // by value
    std::vector<std::thread> threads;
    for (int i = 0; i < 3; ++i) threads.emplace_back([i] { results[i] += i; });
    for (auto& thread : threads) thread.join();
#elif CASE == 18  // what the promise carries
    std::promise<std::vector<int>> given;
    auto got = given.get_future();
    std::thread giver([&] { given.set_value(std::vector<int>(5, 2)); });
    total = got.get()[3];
    giver.join();
#elif CASE == 19  // a recursive mutex
    std::recursive_mutex lock;
    std::function<void(int)> down = [&](int depth) {
        std::lock_guard held(lock);
        total += depth;
        if (depth > 0) down(depth - 1);
    };
    on_threads([&](int) { down(3); });
#elif CASE == 20  // the condition's variable is atomic, the wait is not lost
    std::mutex lock;
    std::condition_variable_any changed;
    std::atomic<bool> ready{false};
    std::thread waits([&] {
        std::unique_lock held(lock);
        changed.wait(held, [&] { return ready.load(); });
        results[0] = total;
    });
    total = 5;
    ready = true;
    { std::lock_guard held(lock); }
    changed.notify_all();
    waits.join();
#elif CASE == 21  // minimum by compare and exchange
    std::atomic<int> least{1000};
    on_threads([&](int t) {
        for (int i = 0; i < 20; ++i) {
            const int mine = (i * 37 + t * 11) % 100;
            int seen = least.load();
            while (mine < seen && !least.compare_exchange_weak(seen, mine)) {
            }
        }
    });
    total = least;
#elif CASE == 23  // a timer's thread and its owner
    std::atomic<bool> stop{false};
    int ticks = 0;
    std::thread timer([&] {
        while (!stop) {
            ++ticks;
            std::this_thread::sleep_for(100us);
        }
    });
    std::this_thread::sleep_for(2ms);
    stop = true;
    timer.join();
    total = ticks > 0;
#elif CASE == 24  // looked at before the join
    std::atomic<bool> stop{false};
    int ticks = 0;
    std::thread timer([&] {
        while (!stop) {
            ++ticks;  // race: ticks
            std::this_thread::sleep_for(100us);
        }
    });
    std::this_thread::sleep_for(2ms);
    total = ticks > 0;  // race: ticks
    stop = true;
    timer.join();
#elif CASE == 25  // each its own, in thread_local
    on_threads([](int t) {
        thread_local std::vector<int> mine;
        for (int i = 0; i < 10; ++i) mine.push_back(i * t);
        results[t] = mine.back();
    });
#elif CASE == 26  // a string that all append to
    std::string text;
    text.reserve(100);
    on_threads([&](int t) { text += static_cast<char>('a' + t); });  // race: text
    total = static_cast<int>(text.size());
#endif
    std::printf("%d %d %d %d\n", total, results[0], results[1], results[7]);
}
