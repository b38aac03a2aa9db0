// SPDX-License-Identifier: GPL-2.0-or-later
// C++: variables of namespaces, classes and functions, what a lambda captures, and locals of a function that OpenMP's threads
// share.
#include <cstdio>

enum { kCount = 400 };

namespace state {
volatile long counts[kCount];
namespace {
volatile long hidden[kCount];
}
}  // namespace state

struct Pool {
    static volatile long slots[kCount];
    __attribute__((noinline)) static void take(int i) {
        static volatile long taken;
        taken = taken + 1;
        slots[i] = i;
    }
};
volatile long Pool::slots[kCount];

__attribute__((noinline)) static long total_of(const volatile long* from) {
    volatile long weights[kCount];
    volatile long most[2] = {};
    for (int i = 0; i < kCount; ++i) weights[i] = i % 3;
    long total = 0;
#pragma omp parallel for num_threads(4) schedule(static) reduction(+ : total)
    for (int i = 0; i < kCount; ++i) {
        total += from[i] * weights[i];
#pragma omp critical
        most[i % 2] = i;
    }
    return total + most[0] * 0;
}

int main() {
    for (int i = 0; i < kCount; ++i) {
        state::counts[i] = i;
        state::hidden[i] = i;
        Pool::take(i);
    }
    volatile long caught[4] = {};
    const auto catch_one = [&](int i) __attribute__((noinline)) {
        caught[i % 4] = caught[i % 4] + state::hidden[i];
    };
    for (int i = 0; i < kCount; ++i) catch_one(i);
    std::printf("%ld %ld\n", total_of(state::counts), static_cast<long>(caught[1]));
    return 0;
}
