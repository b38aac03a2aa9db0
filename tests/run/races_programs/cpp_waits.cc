// SPDX-License-Identifier: GPL-2.0-or-later
// FLAGS: -pthread -std=c++20
// What threads of C++ wait for: futures, conditions, shared locks, latches, flags, the ends of threads; beside each correct
// program one that waits for too little.
#include <array>
#include <atomic>
#include <barrier>
#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <deque>
#include <functional>
#include <future>
#include <latch>
#include <malloc.h>
#include <map>
#include <memory>
#include <mutex>
#include <numeric>
#include <optional>
#include <shared_mutex>
#include <string>
#include <thread>
#include <vector>
using namespace std::chrono_literals;
static std::mutex m, m2;
static std::shared_mutex rw;
static std::condition_variable changed;
static int value, other, results[8];
static bool ready;
static std::atomic<bool> told;
static std::atomic<int> left_over{3};
static std::vector<int> numbers(64, 1);

struct Account {
    std::mutex lock;
    long money = 100;
};
static Account accounts[3];
static void move_money(int from, int to, long sum) {
    std::scoped_lock both(accounts[from].lock, accounts[to].lock);
    accounts[from].money -= sum;  // race(6): money
    accounts[to].money += sum;
}

class Cache {
public:
    int get(int key) {
        {
            std::shared_lock reading(lock_);
            if (auto found = map_.find(key); found != map_.end()) {
#if CASE == 8
                hits_++;  // race: hits
#else
                count_++;
#endif
                return found->second;
            }
        }
        std::unique_lock writing(lock_);
        return map_[key] = key * key;
    }
    int hits() const { return hits_ + count_; }

private:
    std::shared_mutex lock_;
    std::map<int, int> map_;
    int hits_ = 0;
    std::atomic<int> count_{0};
};

// A pool whose workers take functions from a queue.
class Pool {
public:
    explicit Pool(int threads) {
        for (int i = 0; i < threads; i++) threads_.emplace_back([this] { work(); });
    }
    ~Pool() {
        {
            std::lock_guard guard(lock_);
            closed_ = true;
        }
        more_.notify_all();
        for (auto& thread : threads_) thread.join();
    }
    template <typename F>
    auto submit(F f) {
        auto task = std::make_shared<std::packaged_task<decltype(f())()>>(std::move(f));
        auto result = task->get_future();
        {
            std::lock_guard guard(lock_);
            queue_.push_back([task] { (*task)(); });
        }
        more_.notify_one();
        return result;
    }

private:
    void work() {
        for (;;) {
            std::function<void()> next;
            {
                std::unique_lock guard(lock_);
                more_.wait(guard, [this] { return closed_ || !queue_.empty(); });
                if (queue_.empty()) return;
                next = std::move(queue_.front());
                queue_.pop_front();
            }
            next();
        }
    }
    std::mutex lock_;
    std::condition_variable more_;
    std::deque<std::function<void()>> queue_;
    bool closed_ = false;
    std::vector<std::thread> threads_;
};

template <typename F>
static void in_threads(int count, F f) {
    std::vector<std::thread> threads;
    for (int i = 0; i < count; i++) threads.emplace_back(f, i);
    for (auto& thread : threads) thread.join();
}

int main() {
#if CASE == 1  // results of a pool, each by its future
    Pool pool(3);
    std::vector<std::future<int>> futures;
    for (int i = 0; i < 8; i++) futures.push_back(pool.submit([i] { return results[i] = i * i; }));
    for (auto& future : futures) value += future.get();
    for (int i = 0; i < 8; i++) other += results[i];
#elif CASE == 2  // the first future only
    Pool pool(3);
    std::vector<std::future<int>> futures;
    for (int i = 0; i < 8; i++)
        futures.push_back(pool.submit([i] {
            std::this_thread::sleep_for(1ms);
            return results[i] = i * i;  // race: results
        }));
    futures[0].get();
    for (int i = 0; i < 8; i++) other += results[i];  // race: results
#elif CASE == 3  // the pool's functions share a sum
    {
        Pool pool(3);
        for (int i = 0; i < 8; i++)
            pool.submit([] {
                value++;  // race: value
                std::this_thread::sleep_for(1ms);
            });
    }
#elif CASE == 4
    {
        Pool pool(3);
        for (int i = 0; i < 8; i++)
            pool.submit([] {
                std::lock_guard guard(m);
                value++;
            });
    }
#elif CASE == 5  // money of two accounts, both locked
    in_threads(3, [](int i) {
        for (int k = 0; k < 5; k++) move_money(i, (i + 1) % 3, k);
    });
#elif CASE == 6  // the balance is looked at without
    std::thread mover([] {
        for (int k = 0; k < 5; k++) move_money(0, 1, k);
    });
    value = static_cast<int>(accounts[0].money);  // race: money
    mover.join();
#elif CASE == 7 || CASE == 8  // a cache with readers and writers; its hits are counted under the readers' lock
    Cache cache;
    in_threads(3, [&](int) {
        for (int k = 0; k < 30; k++) cache.get(k % 4);
        std::this_thread::sleep_for(1ms);
        for (int k = 0; k < 30; k++) cache.get(k % 4);
    });
    value = cache.hits();
#elif CASE == 9  // the condition holds when it is looked at first: the lock orders all the same
    std::thread maker([] {
        std::lock_guard guard(m);
        value = 7;
        ready = true;
        changed.notify_one();
    });
    std::this_thread::sleep_for(2ms);
    {
        std::unique_lock guard(m);
        changed.wait(guard, [] { return ready; });
    }
    other = value;
    maker.join();
#elif CASE == 10  // the value is stored behind the lock
    std::thread maker([] {
        {
            std::lock_guard guard(m);
            ready = true;
        }
        changed.notify_one();
        value = 7;  // race: value
    });
    {
        std::unique_lock guard(m);
        changed.wait(guard, [] { return ready; });
    }
    other = value;  // race: value
    maker.join();
#elif CASE == 11  // the condition's variable under another lock
    std::thread maker([] {
        std::lock_guard guard(m2);
        ready = true;  // race: ready
        changed.notify_one();
    });
    {
        std::unique_lock guard(m);
        changed.wait_for(guard, 3ms, [] { return ready; });  // race: ready
    }
    maker.join();
#elif CASE == 12  // the last one sums up, by a counter
    in_threads(3, [](int i) {
        results[i] = i + 1;
        if (left_over.fetch_sub(1, std::memory_order_acq_rel) == 1)
            value = std::accumulate(results, results + 3, 0);
    });
#elif CASE == 13  // it counts before its result is there
    in_threads(3, [](int i) {
        const bool last = left_over.fetch_sub(1, std::memory_order_acq_rel) == 1;
        results[i] = i + 1;  // race: results
        if (last) value = results[0] + results[1] + results[2];  // race: results
    });
#elif CASE == 14  // parts of one vector, joined
    in_threads(4, [](int i) {
        for (int k = 0; k < 16; k++) numbers[i * 16 + k] += i;
    });
    value = std::accumulate(numbers.begin(), numbers.end(), 0);
#elif CASE == 15  // parts that meet
    in_threads(4, [](int i) {
        for (int k = 0; k <= 16 && i * 16 + k < 64; k++) numbers[i * 16 + k] += i;  // race: numbers
    });
#elif CASE == 16  // std::async that is waited for at the end of its future
    {
        auto future = std::async(std::launch::async, [] { value = 3; });
    }
    other = value;
#elif CASE == 17  // it lives on
    auto future = std::async(std::launch::async, [] { value = 3; });  // race: value
    other = value;                                                    // race: value
#elif CASE == 18  // deferred: it runs here
    auto future = std::async(std::launch::deferred, [] { value = 3; });
    future.get();
    other = value;
#elif CASE == 19  // a latch for all, then each reads the others' results
    std::latch all(3);
    in_threads(3, [&](int i) {
        results[i] = i;
        all.arrive_and_wait();
        results[i + 4] = results[(i + 1) % 3];
    });
#elif CASE == 20  // who comes to a latch does not wait
    std::latch all(3);
    in_threads(3, [&](int i) {
        results[i] = i;  // race: results
        all.count_down();
        results[i + 4] = results[(i + 1) % 3];  // race: results
    });
#elif CASE == 21  // a barrier for each step
    std::barrier step(3);
    in_threads(3, [&](int i) {
        for (int k = 0; k < 4; k++) {
            results[i] += results[i + 4];
            step.arrive_and_wait();
            results[i + 4] = results[(i + 1) % 3];
            step.arrive_and_wait();
        }
    });
#elif CASE == 22  // one barrier for each step is one too few
    std::barrier step(3);
    in_threads(3, [&](int i) {
        for (int k = 0; k < 4; k++) {
            results[i] += 1;  // race: results
            step.arrive_and_wait();
            results[i + 4] = results[(i + 1) % 3];  // race: results
        }
    });
#elif CASE == 23  // strings that are copied under a lock
    static std::string name = "a name that is too long for the string itself";
    in_threads(3, [](int i) {
        std::string mine;
        for (int k = 0; k < 5; k++) {
            std::lock_guard guard(m);
            mine = name;
            name += static_cast<char>('a' + i);
        }
    });
#elif CASE == 24  // the copy is made without
    static std::string name = "a name that is too long for the string itself";
    in_threads(3, [](int i) {
        std::string mine;
        for (int k = 0; k < 5; k++) {
            if (i == 0) {
                std::lock_guard guard(m);
                name[3] = static_cast<char>('a' + k);  // race: name
            } else {
                results[i] += name[3];  // race: name
            }
        }
    });
#elif CASE == 25  // an object that is made at its first use, by a flag and a lock
    static std::unique_ptr<std::array<int, 4>> object;
    in_threads(3, [](int i) {
        if (!told.load(std::memory_order_acquire)) {
            std::lock_guard guard(m);
            if (!object) object = std::make_unique<std::array<int, 4>>(std::array<int, 4>{1, 2, 3, 4});
            told.store(true, std::memory_order_release);
        }
        results[i] = (*object)[2];
    });
#elif CASE == 26  // the flag is told first
    static std::unique_ptr<std::array<int, 4>> object = std::make_unique<std::array<int, 4>>();
    std::thread maker([] {
        told.store(true, std::memory_order_release);
        (*object)[2] = 7;  // race: object
    });
    while (!told.load(std::memory_order_acquire)) std::this_thread::yield();
    value = (*object)[2];  // race: object
    maker.join();
#elif CASE == 27  // lock, unlock and lock again: the value is kept in between
    in_threads(3, [](int) {
        for (int k = 0; k < 5; k++) {
            std::unique_lock guard(m);
            const int before = value;
            guard.unlock();
            std::this_thread::yield();
            guard.lock();
            value = before + 1;
        }
    });
#elif CASE == 28  // unlocked too early
    in_threads(3, [](int) {
        for (int k = 0; k < 5; k++) {
            std::unique_lock guard(m);
            const int before = value;  // race: value
            guard.unlock();
            value = before + 1;  // race: value
        }
    });
#elif CASE == 29  // jthread joins at the end of its scope
    {
        std::jthread maker([] { value = 5; });
    }
    other = value;
#elif CASE == 30  // a reader with a shared lock, a writer with the shared lock, too
    std::thread writer([] {
        std::shared_lock guard(rw);
        value = 5;  // race: value
    });
    {
        std::shared_lock guard(rw);
        other = value;  // race: value
    }
    writer.join();
#elif CASE == 31  // calloc clears memory that another thread has freed, in one arena for all
    mallopt(M_ARENA_MAX, 1);
    in_threads(4, [](int i) {
        for (int k = 0; k < 40; k++) {
            auto* block = static_cast<long*>(std::calloc(static_cast<size_t>(40 + i * 8 + k % 5), sizeof(long)));
            for (int j = 0; j < 40; j++) block[j]++;
            std::free(block);
        }
    });
#endif
    std::printf("%d %d\n", value, other);  // race(17): value
    return 0;
}
