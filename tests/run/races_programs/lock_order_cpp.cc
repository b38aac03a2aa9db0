// SPDX-License-Identifier: GPL-2.0-or-later
// FLAGS: -pthread -fopenmp -std=c++20
// Locks of C++, of OpenMP and of programs' own in different orders. `order: NAME` marks the lines of the takes that make a cycle.
#include <array>
#include <atomic>
#include <cstdio>
#include <mutex>
#include <omp.h>
#include <pthread.h>
#include <semaphore>
#include <shared_mutex>
#include <thread>
#include <vector>
#define KEEP __asm__ volatile("" ::: "memory")
static std::mutex a, b, c;
static std::recursive_mutex ra, rb;
static std::timed_mutex ta, tb;
static std::shared_mutex sa, sb;
static pthread_spinlock_t pa, pb;
static omp_lock_t oa, ob;
static omp_nest_lock_t na, nb;
struct Spin {
    std::atomic<int> word{0};
    void lock() { while (word.exchange(1, std::memory_order_acquire)) std::this_thread::yield(); }
    void unlock() { word.store(0, std::memory_order_release); }
};
static Spin xa, xb;
static int value;
struct Account {
    std::mutex m;
    int balance = 10;
};
static void transfer(Account& from, Account& to) {
    std::lock_guard one(from.m);  // order(8): m
    std::lock_guard two(to.m);    // order(8): m
    from.balance--;
    to.balance++;
}
template <typename F, typename G>
static void one_then_two(F f, G g) {
    std::thread(f).join();
    std::thread(g).join();
}
static void inner() {
    std::lock_guard l(b);  // order(12): ab
    value++;
}
static void outer() {
    std::lock_guard l(a);
    inner();
}
int main() {
#if CASE == 1  // std::mutex, lock_guard
    one_then_two([] { std::lock_guard x(a);
            std::lock_guard y(b); value++; },  // order: ab
        [] { std::lock_guard x(b);
            std::lock_guard y(a); value++; });  // order: ab
#elif CASE == 2  // scoped_lock avoids deadlock
    one_then_two([] { std::scoped_lock x(a, b); value++; }, [] { std::scoped_lock x(b, a); value++; });
#elif CASE == 3  // std::lock with adopt and defer
    one_then_two(
        [] { std::unique_lock x(a, std::defer_lock), y(b, std::defer_lock); std::lock(x, y); value++; },
        [] { std::lock(b, a); std::lock_guard x(a, std::adopt_lock), y(b, std::adopt_lock); value++; });
#elif CASE == 4  // three in a ring
    std::thread([] { std::lock_guard x(a);
        std::lock_guard y(b); value++; }).join();  // order: abc
    std::thread([] { std::lock_guard x(b);
        std::lock_guard y(c); value++; }).join();  // order: abc
    std::thread([] { std::lock_guard x(c);
        std::lock_guard y(a); value++; }).join();  // order: abc
#elif CASE == 5  // three in one order
    std::thread([] { std::lock_guard x(a); std::lock_guard y(b); value++; }).join();
    std::thread([] { std::lock_guard x(b); std::lock_guard y(c); value++; }).join();
    std::thread([] { std::lock_guard x(a); std::lock_guard y(c); value++; }).join();
#elif CASE == 6  // shared with exclusive
    one_then_two([] { std::shared_lock x(sa);
            std::unique_lock y(sb); value++; },  // order: s
        [] { std::shared_lock x(sb);
            std::unique_lock y(sa); value++; });  // order: s
#elif CASE == 7  // both only shared
    one_then_two([] { std::shared_lock x(sa); std::shared_lock y(sb); if (value) std::puts("x"); },
                 [] { std::shared_lock x(sb); std::shared_lock y(sa); if (value) std::puts("x"); });
#elif CASE == 8  // members
    Account one, two;
    one_then_two([&] { transfer(one, two); }, [&] { transfer(two, one); });
#elif CASE == 9  // by address
    Account one, two;
    auto safe = [](Account& x, Account& y) {
        Account *first = &x < &y ? &x : &y, *second = &x < &y ? &y : &x;
        std::lock_guard l(first->m);
        std::lock_guard k(second->m);
        x.balance--, y.balance++;
    };
    one_then_two([&] { safe(one, two); }, [&] { safe(two, one); });
#elif CASE == 10  // spin locks of the C library
    pthread_spin_init(&pa, 0);
    pthread_spin_init(&pb, 0);
    one_then_two(
        [] {
            pthread_spin_lock(&pa);
            pthread_spin_lock(&pb);  // order: p
            value++;
            pthread_spin_unlock(&pb);
            pthread_spin_unlock(&pa);
        },
        [] {
            pthread_spin_lock(&pb);
            pthread_spin_lock(&pa);  // order: p
            value++;
            pthread_spin_unlock(&pa);
            pthread_spin_unlock(&pb);
        });
#elif CASE == 11  // own locks
    one_then_two([] { std::lock_guard x(xa);
            std::lock_guard y(xb); value++; },  // order: own maybe
        [] { std::lock_guard x(xb);
            std::lock_guard y(xa); value++; });  // order: own maybe
#elif CASE == 12  // across functions
    one_then_two([] { outer(); }, [] { std::lock_guard l(b);
        std::lock_guard k(a); value++; });  // order: ab
#elif CASE == 13  // OpenMP's locks
    omp_init_lock(&oa);
    omp_init_lock(&ob);
#pragma omp parallel num_threads(2)
    {
        if (omp_get_thread_num() == 0) {
            omp_set_lock(&oa);
            omp_set_lock(&ob);  // order: o
            value++;
            omp_unset_lock(&ob);
            omp_unset_lock(&oa);
        }
#pragma omp barrier
        if (omp_get_thread_num() == 1) {
            omp_set_lock(&ob);
            omp_set_lock(&oa);  // order: o
            value++;
            omp_unset_lock(&oa);
            omp_unset_lock(&ob);
        }
    }
#elif CASE == 14  // nested ones and critical
    omp_init_nest_lock(&na);
#pragma omp parallel num_threads(2)
    {
        if (omp_get_thread_num() == 0) {
            omp_set_nest_lock(&na);
            omp_set_nest_lock(&na);
#pragma omp critical(inside)  // order: oc
            value++;
            omp_unset_nest_lock(&na);
            omp_unset_nest_lock(&na);
        }
#pragma omp barrier
        if (omp_get_thread_num() == 1) {
#pragma omp critical(inside)
            {
                omp_set_nest_lock(&na);  // order: oc
                value++;
                omp_unset_nest_lock(&na);
            }
        }
    }
#elif CASE == 15  // recursive
    one_then_two([] { std::lock_guard x(ra); std::lock_guard y(ra); std::lock_guard z(rb); value++; },
                 [] { std::lock_guard x(ra); std::lock_guard z(rb); std::lock_guard y(ra); value++; });
#elif CASE == 16  // timed attempts back off
    one_then_two([] { std::lock_guard x(ta); if (tb.try_lock_for(std::chrono::milliseconds(5))) { value++; tb.unlock(); } },
                 [] { std::lock_guard x(tb); if (ta.try_lock_for(std::chrono::milliseconds(5))) { value++; ta.unlock(); } });
#elif CASE == 17  // gate
    static std::mutex gate;
    one_then_two([] { std::lock_guard g(gate); std::lock_guard x(a); std::lock_guard y(b); value++; },
                 [] { std::lock_guard g(gate); std::lock_guard x(b); std::lock_guard y(a); value++; });
#elif CASE == 18  // the gate is let go in between
    static std::mutex gate;
    one_then_two([] { std::unique_lock g(gate); std::lock_guard x(a); g.unlock();
            std::lock_guard y(b); value++; },  // order: ab
        [] { std::unique_lock g(gate); std::lock_guard x(b); g.unlock();
            std::lock_guard y(a); value++; });  // order: ab
#elif CASE == 19  // one thread alone, both orders
    std::thread([] {
        { std::lock_guard x(a); std::lock_guard y(b); value++; }
        { std::lock_guard x(b); std::lock_guard y(a); value++; }
    }).join();
#elif CASE == 20  // a first try in the wrong order before, then taken by the same thread: two threads, second pair after
    for (int i = 0; i < 2; i++)
        std::thread([i] {
            if (i == 0) { std::lock_guard x(a); std::lock_guard y(b); value++; }
            { std::lock_guard x(c); std::lock_guard y(a); value++; }
        }).join();
#elif CASE == 21  // the same order first by the one, then by the other, then the wrong one
    for (int i = 0; i < 2; i++)
        std::thread([i] {
            { std::lock_guard x(a);
              std::lock_guard y(b); value++; }  // order: ab
            if (i == 0) { std::lock_guard x(b);
              std::lock_guard y(a); value++; }  // order: ab
        }).join();
#elif CASE == 22  // locks in a heap block that is freed, and another one there
    for (int i = 0; i < 2; i++) {
        auto* two = new std::array<std::mutex, 2>;
        std::thread([two, i] { std::lock_guard x((*two)[i]); std::lock_guard y((*two)[1 - i]); value++; }).join();
        delete two;
    }
#elif CASE == 23  // dining philosophers
    static std::mutex forks[3];
    std::vector<std::thread> all;
    for (int i = 0; i < 3; i++)
        std::thread([i] { std::lock_guard x(forks[i]);
            std::lock_guard y(forks[(i + 1) % 3]); value++; }).join();  // order: forks
#elif CASE == 24  // the last one takes them in the other order
    static std::mutex forks[3];
    for (int i = 0; i < 3; i++)
        std::thread([i] { const int l = i == 2 ? 0 : i, r = i == 2 ? 2 : i + 1;
            std::lock_guard x(forks[l]); std::lock_guard y(forks[r]); value++; }).join();
#elif CASE == 25  // the first reader takes the writers' lock, the last one gives it back
    static pthread_mutex_t writers = PTHREAD_MUTEX_INITIALIZER;
    static int readers;
    auto enter = [] { std::lock_guard x(a); if (++readers == 1) pthread_mutex_lock(&writers); };
    auto leave = [] { std::lock_guard x(a); if (--readers == 0) pthread_mutex_unlock(&writers); };
    std::binary_semaphore second(0), first(0);
    std::thread one([&] { enter(); second.release(); first.acquire(); leave(); second.release(); });
    std::thread two([&] { second.acquire(); enter(); first.release(); second.acquire(); leave(); });
    one.join();
    two.join();
    one_then_two([&] { enter(); leave(); }, [&] { enter(); leave(); });
#endif
    std::printf("%d\n", value);
    return 0;
}
