// SPDX-License-Identifier: GPL-2.0-or-later
// PROVES: without defects the C++ library's further operators call those that the program has of its own
// ARGS: --defects=no --zeros=no
// COMPILE: gcc clang -O0 -O2 -pthread -std=c++17 -fsized-deallocation
// COUNTS: modelled heap:one events=40000~5%
// COUNTS: modelled heap:array events=40000~5%
// COUNTS: modelled heap:nothrow events=40000~5%
// SHARING: FalseSharing text="block of size 128"
#include <cstddef>
#include <new>

#include "workers.h"

alignas(64) static char pool[1 << 12];
static std::size_t taken = 0;
static int given = 0;

// Memory that malloc does not know. free would end the program.
[[gnu::noinline]] void* operator new(std::size_t bytes) {
    void* block = pool + taken;
    taken += (bytes + 63) / 64 * 64;
    if (taken > sizeof pool) throw std::bad_alloc();
    return block;
}
[[gnu::noinline]] void operator delete(void* block) noexcept {
    NEED_TRUE(block >= pool && block < pool + sizeof pool);
    ++given;
}

using Words = long[16];
struct Two {
    Words words;
};
static long* shared[3];

static void work(int index) {
    for (auto* words : shared)
        for (int i = 0; i < 10000; ++i) INCREMENT(words[index]);
}

int main() {
    Two* const one = new Two;                    /* label: one */
    long* const array = new Words;               /* label: array */
    Two* const nothrow = new (std::nothrow) Two; /* label: nothrow */
    shared[0] = one->words;
    shared[1] = array;
    shared[2] = nothrow->words;
    run_together(2, work);
    delete one;
    delete[] array;
    operator delete(nothrow, std::nothrow);
    operator delete[](new char[3], std::size_t{3});
    NEED_TRUE(given == 4);
    return 0;
}
