// SPDX-License-Identifier: GPL-2.0-or-later
// FLAGS: -std=c++20 -pthread
// What C++ and POSIX have for threads, each as it is meant and with the mistake that is usual there.
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <barrier>
#include <condition_variable>
#include <csignal>
#include <cstdio>
#include <deque>
#include <functional>
#include <future>
#include <latch>
#include <map>
#include <memory>
#include <mutex>
#include <semaphore>
#include <shared_mutex>
#include <string>
#include <thread>
#include <vector>
#define KEEP asm volatile("" ::: "memory")
using namespace std::chrono_literals;

static int value, result, table[8], total;
static std::mutex m, m2;
static std::condition_variable changed;
static std::condition_variable_any any_changed;
static std::shared_mutex readers;
static bool ready;
static std::string text;

struct Account {
    std::mutex lock;
    int money = 100;
};
struct Queue {
    void push(std::function<void()> job) {
        {
            std::lock_guard held(m);
            jobs.push_back(std::move(job));
        }
        changed.notify_one();
    }
    bool pop(std::function<void()>& job) {
        std::unique_lock held(m);
        changed.wait(held, [this] { return closed || !jobs.empty(); });
        if (jobs.empty()) return false;
        job = std::move(jobs.front());
        jobs.pop_front();
        return true;
    }
    void close() {
        std::lock_guard held(m);
        closed = true;
        changed.notify_all();
    }
    std::deque<std::function<void()>> jobs;
    bool closed = false;
};
template <typename... F>
static void run(F... f) {
    std::vector<std::thread> threads;
    (threads.emplace_back(f), ...);
    for (auto& t : threads) t.join();
}
static void on_signal(int) {}

int main() {
#if CASE == 1  // the results of two futures
    auto one = std::async(std::launch::async, [] { table[0] = 1; return 1; });
    auto two = std::async(std::launch::async, [] { table[1] = 2; return 2; });
    result = one.get() + two.get() + table[0] + table[1];
#elif CASE == 2  // one is not waited for before
    auto one = std::async(std::launch::async, [] { table[0] = 1; });  // race: table
    result = table[0];  // race: table
    one.get();
#elif CASE == 3  // a promise brings what was stored before
    std::promise<int> told;
    auto got = told.get_future();
    run([&] { value = 4; told.set_value(1); }, [&] { result = got.get() + value; });
#elif CASE == 4  // behind the promise
    std::promise<int> told;
    auto got = told.get_future();
    run([&] { told.set_value(1); value = 4; },     // race: value
        [&] { result = got.get() + value; });  // race: value
#elif CASE == 5  // tasks of a thread, by their futures
    std::packaged_task<int(int)> job([](int n) { value = n; return n + 1; });
    auto got = job.get_future();
    std::thread by(std::move(job), 5);
    result = got.get() + value;
    by.join();
#elif CASE == 6  // a latch
    std::latch done(2);
    run([&] { table[0] = 1; done.count_down(); }, [&] { table[1] = 1; done.count_down(); }, [&] { done.wait(); result = table[0] + table[1]; });
#elif CASE == 7  // that is looked at once
    std::latch done(2);
    run([&] { table[0] = 1; done.count_down(); },  // race: table maybe
        [&] { done.count_down(); result = table[0]; });  // race: table maybe
#elif CASE == 8  // a barrier for each step
    std::barrier step(2);
    auto work = [&](int t) { for (int i = 0; i < 3; i++) { table[t] += table[4 + t]; step.arrive_and_wait(); table[5 - t] = table[t]; step.arrive_and_wait(); } };
    run([&] { work(0); }, [&] { work(1); });
#elif CASE == 9
    std::barrier step(2);
    auto work = [&](int t) { for (int i = 0; i < 3; i++) {
        table[t] += table[4 + t];  // race: table
        step.arrive_and_wait();
        table[5 - t] = table[t];  // race: table
    } };
    run([&] { work(0); }, [&] { work(1); });
#elif CASE == 10  // asked to stop
    { std::jthread by([](std::stop_token stop) { while (!stop.stop_requested()) std::this_thread::yield(); result = value; });
    value = 3;
    by.request_stop(); }
#elif CASE == 11  // what is stored behind the request
    std::jthread by([](std::stop_token stop) {
        while (!stop.stop_requested()) std::this_thread::yield();
        result = value;  // race: value
    });
    by.request_stop();
    value = 3;  // race: value
    by.join();
#elif CASE == 12  // any lock that can be taken
    run([] { std::unique_lock held(readers); any_changed.wait(held, [] { return ready; }); result = value; },
        [] { { std::unique_lock held(readers); value = 3; ready = true; } any_changed.notify_all(); });
#elif CASE == 13  // told without the lock
    run([] {
        std::unique_lock held(m);
        changed.wait_for(held, 20ms, [] { return ready; });  // race: ready
        result = 1; },
        [] {
            std::this_thread::sleep_for(2ms);
            ready = true;  // race: ready
            changed.notify_all(); });
#elif CASE == 14  // waits on an atomic
    static std::atomic<int> state;
    run([] { state.wait(0); result = value; }, [] { value = 3; state = 1; state.notify_all(); });
#elif CASE == 15  // references to an atomic, everywhere
    run([] { std::atomic_ref(value)++; }, [] { std::atomic_ref(value)++; }, [] { result = std::atomic_ref(value); });
#elif CASE == 16  // and a plain sum
    run([] { std::atomic_ref(value)++; },  // race: value maybe
        [] { value++; });  // race: value maybe
#elif CASE == 17  // a pointer that is told by an atomic one
    static std::atomic<std::string*> told;
    run([] { told.store(new std::string("a long text that is on the heap"), std::memory_order_release); },
        [] { std::string* p; while (!(p = told.load(std::memory_order_acquire))) std::this_thread::yield(); result = (int)p->size(); delete p; });
#elif CASE == 18  // an atomic shared pointer
    static std::atomic<std::shared_ptr<int>> told;
    run([] { told.store(std::make_shared<int>(7)); },
        [] { std::shared_ptr<int> p; while (!(p = told.load())) std::this_thread::yield(); result = *p; });
#elif CASE == 19  // a plain one
    static std::shared_ptr<int> told = std::make_shared<int>(1);
    run([] { told = std::make_shared<int>(7); },  // race: told
        [] {
            std::shared_ptr<int> mine = told;  // race: told
            result = *mine; });  // race: told
#elif CASE == 20  // each thread's own
    static thread_local int own = 0;
    auto work = [](int t) { for (int i = 0; i < 9; i++) own += i; table[t] = own; };
    run([&] { work(0); }, [&] { work(1); });
#elif CASE == 21  // one thread's own is shown to another
    static thread_local int own = 0;
    static std::atomic<int*> shown;
    run([] {
        own = 1;
        shown = &own;
        own = 2;  // race: own
        std::this_thread::sleep_for(10ms); },
        [] { int* p; while (!(p = shown)) std::this_thread::yield();
            result = *p;  // race: own
        });
#elif CASE == 22  // a pool of workers
    Queue queue;
    std::vector<std::thread> workers;
    for (int i = 0; i < 3; i++) workers.emplace_back([&] { std::function<void()> job; while (queue.pop(job)) job(); });
    for (int i = 0; i < 6; i++) queue.push([i] { table[i] = i; });
    queue.close();
    for (auto& w : workers) w.join();
    result = table[3];
#elif CASE == 23  // jobs that share a total
    Queue queue;
    std::vector<std::thread> workers;
    for (int i = 0; i < 3; i++) workers.emplace_back([&] { std::function<void()> job; while (queue.pop(job)) job(); });
    for (int i = 0; i < 12; i++) queue.push([i] {
        total += i;  // race: total
    });
    queue.close();
    for (auto& w : workers) w.join();
#elif CASE == 24  // both accounts at once
    Account one, two;
    auto move = [](Account& from, Account& to) { std::scoped_lock held(from.lock, to.lock); from.money--; to.money++; };
    run([&] { for (int i = 0; i < 5; i++) move(one, two); }, [&] { for (int i = 0; i < 5; i++) move(two, one); });
    result = one.money;
#elif CASE == 25  // only one of them
    Account one, two;
    auto move = [](Account& from, Account& to) {
        std::scoped_lock held(from.lock);
        from.money--;  // race: money
        to.money++;    // race: money
    };
    run([&] { for (int i = 0; i < 5; i++) move(one, two); }, [&] { for (int i = 0; i < 5; i++) move(two, one); });
    result = one.money;
#elif CASE == 26  // pairs are hidden by the lock's luck
    run([] { value = 1;  // race: value
             std::lock_guard held(m); total++; },
        [] { { std::lock_guard held(m); total++; }
             value = 2;  // race: value
        });
#elif CASE == 27  // the list has been told of under the lock
    static std::map<int, std::string> names;
    run([] { std::lock_guard held(m); names[1] = "one"; }, [] { std::lock_guard held(m); names[2] = "two"; },
        [] { std::lock_guard held(m); result = (int)names.size(); });
#elif CASE == 28  // looked at without
    static std::map<int, std::string> names;
    run([] { std::lock_guard held(m); names[1] = "one"; },  // race: names
        [] { std::this_thread::sleep_for(1ms); result = (int)names.count(1); });  // race: names
#elif CASE == 29  // an event of the system
    int event = eventfd(0, 0);
    run([&] { value = 3; eventfd_write(event, 1); }, [&] { eventfd_t n; eventfd_read(event, &n); result = value; });
#elif CASE == 30  // pipes in both directions
    int to[2], from[2];
    if (pipe(to) || pipe(from)) return 1;
    run([&] { char c = 0; value = 1; if (write(to[1], &c, 1) && read(from[0], &c, 1)) result = value; },
        [&] { char c = 0; if (read(to[0], &c, 1)) value++; if (!write(from[1], &c, 1)) value = 0; });
#elif CASE == 31  // memory that processes share: what a child does is no thread's
    int* shared = (int*)mmap(nullptr, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    run([&] { pid_t child = fork(); if (!child) { shared[0] = 1; _exit(0); } waitpid(child, nullptr, 0); table[0] = shared[0]; }, [] { table[1] = 1; });
#elif CASE == 32  // and threads of one process
    int* shared = (int*)mmap(nullptr, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    run([&] { shared[0] = 1; },  // race: shared
        [&] { result = shared[0]; });  // race: shared
#elif CASE == 33  // a mutex whose owner may take it again
    static std::recursive_mutex again;
    static std::function<void(int)> down = [](int n) { std::lock_guard held(again); value += n; if (n) down(n - 1); };
    run([] { down(3); }, [] { down(3); });
#elif CASE == 34  // the outer one is given back too early
    static std::recursive_mutex again;
    auto work = [] { again.lock(); again.lock(); again.unlock(); again.unlock();
        value++;  // race: value
    };
    run(work, work);
#elif CASE == 35  // a wait that may be over
    run([] { std::unique_lock held(m); while (!ready) changed.wait_for(held, 5ms); result = value; },
        [] { std::lock_guard held(m); value = 3; ready = true; changed.notify_one(); });
#elif CASE == 36  // semaphore of two
    static std::counting_semaphore<2> two(2);
    auto work = [](int t) { two.acquire(); table[t]++; two.release(); };
    run([&] { work(0); }, [&] { work(1); }, [&] { work(2); });
#elif CASE == 37  // binary one as a message
    static std::binary_semaphore told(0);
    run([] { value = 3; told.release(); }, [] { told.acquire(); result = value; });
#elif CASE == 38  // once
    static std::once_flag once;
    auto work = [](int t) { std::call_once(once, [] { value = 3; }); table[t] = value; };
    run([&] { work(0); }, [&] { work(1); });
#elif CASE == 39  // by a plain flag
    auto work = [](int t) {
        if (!ready) {  // race: ready
            value = 3;  // race: value
            ready = true;  // race: ready
        }
        table[t] = value;  // race: value
    };
    run([&] { work(0); }, [&] { work(1); });
#elif CASE == 40  // a writer under the readers' lock
    run([] { std::shared_lock held(readers); value++; },  // race: value
        [] { std::shared_lock held(readers); value++; });  // race: value
#elif CASE == 41  // readers, and a writer with its own
    run([] { std::shared_lock held(readers); table[0] = value; }, [] { std::unique_lock held(readers); value++; }, [] { std::shared_lock held(readers); table[1] = value; });
#elif CASE == 42  // an attempt, and work under it only
    auto work = [] { while (!m.try_lock()) std::this_thread::yield(); value++; m.unlock(); };
    run(work, work);
#elif CASE == 43  // detached, and told by a condition
    std::thread([] { value = 3; std::lock_guard held(m); ready = true; changed.notify_one(); }).detach();
    std::unique_lock held(m);
    changed.wait(held, [] { return ready; });
    result = value;
#elif CASE == 44  // a signal's handler ends the wait
    std::signal(SIGUSR1, on_signal);
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGUSR1);
    pthread_sigmask(SIG_BLOCK, &set, nullptr);
    run([&] { int got; sigwait(&set, &got); result = value; }, [] { value = 3; kill(getpid(), SIGUSR1); });
#elif CASE == 45  // text grows under two
    run([] { text += "a"; },  // race: text
        [] { text += "b"; });  // race: text
#elif CASE == 46  // elements of one vector
    std::vector<int> numbers(8);
    run([&] { for (int i = 0; i < 4; i++) numbers[i] = i; }, [&] { for (int i = 4; i < 8; i++) numbers[i] = i; });
    result = numbers[5];
#elif CASE == 47  // two lock orders are no race, nor are two scopes
    run([] { { std::lock_guard held(m); value++; } { std::lock_guard held(m2); total++; } },
        [] { { std::lock_guard held(m2); total++; } { std::lock_guard held(m); value++; } });
#elif CASE == 48  // relaxed, then a fence
    static std::atomic<int> flag;
    run([] { value = 3; std::atomic_thread_fence(std::memory_order_release); flag.store(1, std::memory_order_relaxed); },
        [] { while (!flag.load(std::memory_order_relaxed)) std::this_thread::yield(); std::atomic_thread_fence(std::memory_order_acquire); result = value; });
#endif
    KEEP;
    std::printf("%d %d %d %d %zu\n", value, result, table[0] + table[1], total, text.size());
}
