// SPDX-License-Identifier: GPL-2.0-or-later
// FLAGS: -pthread -std=c++20
// The library's tools one by one, each in a whole program: correct, and with the race (RACY).
#include <algorithm>
#include <array>
#include <atomic>
#include <barrier>
#include <condition_variable>
#include <cstdio>
#include <deque>
#include <functional>
#include <future>
#include <latch>
#include <map>
#include <memory>
#include <mutex>
#include <numeric>
#include <semaphore>
#include <set>
#include <shared_mutex>
#include <string>
#include <thread>
#include <unordered_map>
#include <vector>

// Compilers and levels are chosen by number: each has races, and each correct programs.
constexpr bool kRacy = CASE % 8 == 2 || CASE % 8 == 3 || CASE % 8 == 5 || CASE % 8 == 0;

#if CASE == 1 || CASE == 2
// a pointer that counts: copies are each thread's, the object is not
struct Shape {
    int edges = 3;
};
int main() {
    auto shape = std::make_shared<Shape>();
    {
        std::vector<std::jthread> team;
        for (int t = 0; t < 3; ++t)
            team.emplace_back([copy = shape, t] {
                auto mine = kRacy ? copy : std::make_shared<Shape>(*copy);
                mine->edges = t;  // race(2): edges
            });
    }
    std::printf("%d %ld\n", shape->edges, shape.use_count());
}
#elif CASE == 3 || CASE == 4
// an array of numbers by atomic_ref, all of them or not
int main() {
    std::vector<int> bins(8);
    {
        std::vector<std::jthread> team;
        for (int t = 0; t < 3; ++t)
            team.emplace_back([&, t] {
                for (int i = 0; i < 60; ++i) {
                    int& bin = bins[(i * 5 + t) % 8];
                    if (kRacy && t == 2)
                        bin += 1;  // race(3): bin
                    else
                        std::atomic_ref(bin).fetch_add(1);  // race(3): bin
                }
            });
    }
    std::printf("%d\n", bins[3]);
}
#elif CASE == 5 || CASE == 6
// phases by a barrier whose completion sums up
int main() {
    std::vector<int> cells(4, 1);
    int sum = 0;
    std::barrier phase(4, [&]() noexcept { sum = std::accumulate(cells.begin(), cells.end(), 0); });
    std::vector<std::jthread> team;
    for (int t = 0; t < 4; ++t)
        team.emplace_back([&, t] {
            for (int step = 0; step < 3; ++step) {
                cells[t] += sum + t;  // race(5): cells
                phase.arrive_and_wait();
                if (kRacy) cells[t] += cells[(t + 1) % 4];  // race(5): cells
            }
        });
    team.clear();
    std::printf("%d\n", sum);
}
#elif CASE == 7 || CASE == 8
// a latch that counts one too few
int main() {
    std::array<double, 3> parts{};
    std::latch ready(kRacy ? 2 : 3);
    double total = 0;
    std::vector<std::thread> team;
    for (int t = 0; t < 3; ++t)
        team.emplace_back([&, t] {
            if (kRacy && t == 2) std::this_thread::sleep_for(std::chrono::milliseconds(20));
            parts[t] = t * 1.5;  // race(8): parts
            if (!kRacy || t != 2) ready.count_down();
        });
    ready.wait();
    total = parts[0] + parts[1] + parts[2];  // race(8): parts
    for (auto& one : team) one.join();
    std::printf("%f\n", total);
}
#elif CASE == 9 || CASE == 10
// readers that write
class Table {
public:
    int get(int key) {
        std::shared_lock held(lock_);
        if (kRacy)
            ++lookups_;  // race(10): lookups
        else
            counted_.fetch_add(1, std::memory_order_relaxed);
        auto found = map_.find(key);
        return found == map_.end() ? -1 : found->second;
    }
    void put(int key, int value) {
        std::unique_lock held(lock_);
        map_[key] = value;
    }
    int lookups() const { return lookups_ + counted_; }

private:
    std::map<int, int> map_;
    std::shared_mutex lock_;
    int lookups_ = 0;
    std::atomic<int> counted_{0};
};
int main() {
    Table table;
    {
        std::jthread writer([&] { for (int i = 0; i < 20; ++i) table.put(i, i * i); });
        std::jthread first([&] { for (int i = 0; i < 20; ++i) table.get(i); });
        std::jthread second([&] { for (int i = 0; i < 20; ++i) table.get(19 - i); });
    }
    std::printf("%d\n", table.lookups());
}
#elif CASE == 11 || CASE == 12
// a wait for an atomic number, and what is stored before or after it
int main() {
    std::atomic<int> turn{0};
    std::string note;
    int count = 0;
    std::thread other([&] {
        turn.wait(0);
        note += " world";
        count += 1;  // race(11): count
        turn = 2;
        turn.notify_all();
    });
    note = "hello";
    if (!kRacy) count = 5;
    turn = 1;
    turn.notify_one();
    if (kRacy) count = 5;  // race(11): count
    turn.wait(1);
    std::printf("%s\n", note.c_str());
    other.join();
    std::printf("%d\n", count);
}
#elif CASE == 13 || CASE == 14
// a packaged task that takes its vector by value, or by reference
static long sum_of(const std::vector<int>& v) {
    long sum = 0;
    for (int x : v) sum += x;  // race(13): v
    return sum;
}
int main() {
    std::vector<int> v(50, 2);
    std::packaged_task<long()> task(kRacy ? std::function<long()>([&v] { return sum_of(v); })
                                          : std::function<long()>([v] { return sum_of(v); }));
    auto result = task.get_future();
    std::thread runner(std::move(task));
    for (int& x : v) x = 7;  // race(13): v
    std::printf("%ld\n", result.get());
    runner.join();
}
#elif CASE == 15 || CASE == 16
// what is made once, by call_once or by a look
struct Config {
    int width = 0, height = 0;
};
static Config config;
static std::once_flag once;
static bool made;
static const Config& get() {
    if (kRacy) {
        if (!made) {              // race(16): made
            config.width = 640;   // race(16): config
            config.height = 480;  // race(16): config
            made = true;          // race(16): made
        }
    } else {
        std::call_once(once, [] { config = {640, 480}; });
    }
    return config;
}
static int area() {
    const Config& c = get();
    int w = c.width;   // race(16): config
    int h = c.height;  // race(16): config
    return w * h;
}
int main() {
    int areas[3];
    {
        std::vector<std::jthread> team;
        for (int& a : areas) team.emplace_back([&a] { a = area(); });
    }
    std::printf("%d\n", areas[0]);
}
#elif CASE == 17 || CASE == 18
// a promise, and a value beside it
int main() {
    std::promise<int> promise;
    auto future = promise.get_future().share();
    int extra = 0;
    std::thread giver([&] {
        if (!kRacy) extra = 9;
        promise.set_value(3);
        if (kRacy) extra = 9;  // race(18): extra
    });
    std::vector<std::thread> takers;
    std::atomic<int> sum{0};
    for (int t = 0; t < 2; ++t)
        takers.emplace_back([&, future] {
            sum += future.get();
            sum += extra;  // race(18): extra
        });
    giver.join();
    for (auto& one : takers) one.join();
    std::printf("%d\n", sum.load());
}
#elif CASE == 19 || CASE == 20
// a condition with a stop token, and a field that is read outside of the lock
int main() {
    std::mutex lock;
    std::condition_variable_any changed;
    std::deque<int> queue;
    long handled = 0;
    std::jthread worker([&](std::stop_token stop) {
        std::unique_lock held(lock);
        while (changed.wait(held, stop, [&] { return !queue.empty(); })) {
            handled += queue.front();  // race(19): handled maybe
            queue.pop_front();
        }
    });
    for (int i = 0; i < 10; ++i) {
        {
            std::lock_guard held(lock);
            queue.push_back(i);
        }
        changed.notify_one();
    }
    if (kRacy)
        std::printf("%ld\n", handled);  // race(19): handled maybe
    worker.request_stop();
    worker.join();
    std::printf("%ld\n", handled);
}
#elif CASE == 21 || CASE == 22
// a lambda in a loop that takes its counter by value, or by reference
int main() {
    int seen[4] = {};
    std::vector<std::thread> team;
    int i = 0;
    for (i = 0; i < 4; ++i) {  // race(21): i
        if constexpr (kRacy)
            team.emplace_back([&] { seen[i & 3] = 1; });  // race(21): i
        else
            team.emplace_back([&seen, i] { seen[i] = 1; });
    }
    for (auto& one : team) one.join();
    std::printf("%d\n", seen[0]);
}
#elif CASE == 23 || CASE == 24
// a pointer that is exchanged, by an atomic one or a plain one
struct Data {
    std::vector<int> v;
};
static std::atomic<std::shared_ptr<const Data>> current{std::make_shared<const Data>()};
static std::shared_ptr<const Data> plain = std::make_shared<const Data>();
int main() {
    std::thread reader([] {
        size_t most = 0;
        for (int i = 0; i < 10; ++i) {
            if constexpr (kRacy) {
                const Data* at = plain.get();  // race(24): plain
                most = std::max<size_t>(most, at != nullptr);
            } else {
                auto at = current.load();
                most = std::max(most, at->v.size());
            }
        }
        std::printf("%zu\n", most);
    });
    auto made = std::make_shared<Data>();
    made->v.assign(10, 4);
    if constexpr (kRacy)
        plain = made;  // race(24): plain
    else
        current.store(made);
    reader.join();
}
#elif CASE == 25 || CASE == 26
// a static local: its making is guarded, its use is not
static std::vector<int>& log_of() {
    static std::vector<int> log(16, 0);
    return log;
}
static std::mutex lock;
int main() {
    {
        std::vector<std::jthread> team;
        for (int t = 0; t < 3; ++t)
            team.emplace_back([t] {
                std::vector<int>& log = log_of();
                std::unique_lock held(lock, std::defer_lock);
                if (!kRacy) held.lock();
                log[2] += t;  // race(26): log
            });
    }
    std::printf("%d\n", log_of()[2]);
}
#elif CASE == 27 || CASE == 28
// two mutexes at once, or another one
struct Account {
    std::mutex lock;
    int balance = 100;
};
static void move(Account& from, Account& to, int by) {
    if (kRacy) {
        std::lock_guard held(from.lock);
        from.balance -= by;  // race(27): balance
        to.balance += by;    // race(27): balance
    } else {
        std::scoped_lock held(from.lock, to.lock);
        from.balance -= by;
        to.balance += by;
    }
}
int main() {
    Account a, b;
    std::thread one([&] { for (int i = 0; i < 10; ++i) move(a, b, i); });
    std::thread two([&] { for (int i = 0; i < 10; ++i) move(b, a, i); });
    one.join();
    two.join();
    std::printf("%d %d\n", a.balance, b.balance);
}
#elif CASE == 29 || CASE == 30
// flags in bytes or in bits
int main() {
    std::vector<char> bytes(24);
    std::vector<bool> bits(24);
    std::vector<std::future<void>> done;
    for (int t = 0; t < 3; ++t)
        done.push_back(std::async(std::launch::async, [&, t] {
            for (int i = 0; i < 8; ++i)
                if constexpr (kRacy)
                    bits[i * 3 + t].flip();  // race(29): bits
                else
                    bytes[i * 3 + t] ^= 1;
        }));
    for (auto& one : done) one.get();
    std::printf("%d %d\n", int(bytes[4]), int(bits[4]));
}
#elif CASE == 31 || CASE == 32
// tokens that limit: one, or two
static std::counting_semaphore<4> tokens(kRacy ? 2 : 1);
int main() {
    std::vector<std::jthread> team;
    int inside = 0;
    for (int t = 0; t < 3; ++t)
        team.emplace_back([&] {
            for (int i = 0; i < 5; ++i) {
                tokens.acquire();
                inside = inside + 1;  // race(32): inside
                tokens.release();
            }
        });
    team.clear();
    std::printf("%d\n", inside);
}
#elif CASE == 33 || CASE == 34
// an order of memory: release and acquire, or a relaxed word that tells
int main() {
    int payload = 0;
    std::atomic<bool> there{false};
    std::atomic<int> unrelated{0};
    std::thread maker([&] {
        payload = 11;  // race(34): payload
        if (!kRacy) there.store(true, std::memory_order_release);
        unrelated.fetch_add(1, std::memory_order_relaxed);
    });
    if (!kRacy)
        while (!there.load(std::memory_order_acquire)) std::this_thread::yield();
    unrelated.fetch_add(2, std::memory_order_relaxed);
    int got = payload;  // race(34): payload
    maker.join();
    std::printf("%d %d\n", got, unrelated.load());
}
#elif CASE == 35 || CASE == 36
// an object whose own thread begins before its last member is set
class Service {
public:
    Service() {
        if (!kRacy) limit_ = 8;
        thread_ = std::thread([this] { run(); });
        if (kRacy) limit_ = 8;  // race(35): limit
    }
    ~Service() { thread_.join(); }
    void run() {
        for (int i = 0; i < limit_; ++i) done_ += i;  // race(35): limit
    }
    int done_ = 0;

private:
    int limit_ = 4;
    std::thread thread_;
};
int main() {
    Service* service = new Service;
    delete service;
}
#elif CASE == 37 || CASE == 38
// elements of a map, one each, and one for both
int main() {
    std::unordered_map<int, int> map;
    for (int i = 0; i < 8; ++i) map[i] = 0;
    std::mutex lock;
    auto add = [&](int t) {
        for (int i = 0; i < 10; ++i) {
            map.find(t)->second += i;
            std::unique_lock held(lock, std::defer_lock);
            if (!kRacy) held.lock();
            int& last = map.find(7)->second;
            last = last + t;  // race(37): last
        }
    };
    {
        std::jthread a(add, 0), b(add, 1);
    }
    std::printf("%zu\n", map.size());
}
#elif CASE == 39 || CASE == 40
// a sort in halves by threads, that meet at the middle or not
int main() {
    std::vector<int> v(64);
    for (int i = 0; i < 64; ++i) v[i] = (i * 23) % 64;
    auto bump = [&](int from, int to) {
        for (int i = from; i < to; ++i) v[i] *= 2;  // race(40): v
    };
    std::thread low(bump, 0, kRacy ? 33 : 32), high(bump, 32, 64);
    low.join();
    high.join();
    std::sort(v.begin(), v.end());
    std::printf("%d\n", v[10]);
}
#elif CASE == 41 || CASE == 42
// a detached thread that tells its end, or does not
static std::atomic<bool> finished{false};
static int outcome;
int main() {
    std::thread([] {
        outcome = 5;  // race(42): outcome
        if (!kRacy) finished = true;
    }).detach();
    if (kRacy)
        std::this_thread::sleep_for(std::chrono::milliseconds(100));
    else
        while (!finished) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    std::printf("%d\n", outcome);  // race(42): outcome
}
#elif CASE == 43 || CASE == 44
// observers, told under the lock or after it
class Subject {
public:
    void subscribe(std::function<void(int)> f) {
        std::lock_guard held(lock_);
        observers_.push_back(std::move(f));
    }
    void notify(int value) {
        std::unique_lock held(lock_);
        auto copy = observers_;
        if (kRacy) held.unlock();
        for (auto& one : copy) one(value);
    }

private:
    std::mutex lock_;
    std::vector<std::function<void(int)>> observers_;
};
int main() {
    Subject subject;
    int last = 0;
    subject.subscribe([&](int value) {
        last = value;  // race(43): last
    });
    {
        std::jthread a([&] { subject.notify(1); });
        std::jthread b([&] { subject.notify(2); });
    }
    std::printf("%d\n", last);
}
#endif
