// SPDX-License-Identifier: GPL-2.0-or-later
// PROVES: without defects the program's own allocator works: neighbours lie in one line as it puts them, and the blocks of each of its functions are known by where they were allocated, whatever functions call each other inside
// ARGS: --defects=no --zeros=no
// COMPILE: gcc clang -O0 -O2 -pthread -std=c++17 -fno-builtin
// SET: COUNT=5000
// ALSO: --line-size=64 LD_PRELOAD=libjemalloc.so.2
// ALSO: --line-size=64 LD_PRELOAD=libtcmalloc_minimal.so.4
// ALSO: --line-size=64 LD_PRELOAD=libmimalloc.so.2
// COUNTS: modelled heap:neighbours misses=2*COUNT~5% false=4*COUNT~5%
// COUNTS: modelled heap:malloc events=4*COUNT~5%
// COUNTS: modelled heap:calloc events=4*COUNT~5%
// COUNTS: modelled heap:realloc events=4*COUNT~5%
// COUNTS: modelled heap:posix events=4*COUNT~5%
// COUNTS: modelled heap:aligned events=4*COUNT~5%
// COUNTS: modelled heap:new events=4*COUNT~5%
// COUNTS: modelled heap:array events=4*COUNT~5%
// COUNTS: modelled heap:nothrow events=4*COUNT~5%
// COUNTS: modelled heap:wide events=4*COUNT~5%
// COUNTS: modelled heap:freed events<=100
// SHARING: FalseSharing text="block of size"
#include <malloc.h>

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <new>

#include "workers.h"

using Word = long;
static Word* words[10][2];  // each two in one line

static void both(int kind, void* block) {
    words[kind][0] = static_cast<Word*>(block);
    words[kind][1] = static_cast<Word*>(block) + 1;
}

static int handled;

static bool in_one_line(const void* a, const void* b) {
    return reinterpret_cast<std::uintptr_t>(a) / LINE == reinterpret_cast<std::uintptr_t>(b) / LINE;
}

static void work(int index) {
    for (auto& pair : words)
        for (int i = 0; i < COUNT; ++i) INCREMENT(*pair[index]);
}

// The first line that begins in a block.
static void* inside(void* block) {
    return reinterpret_cast<void*>((reinterpret_cast<std::uintptr_t>(block) + LINE - 1) & ~std::uintptr_t{LINE - 1});
}

int main() {
    Word* small[16];
    for (auto& block : small) block = static_cast<Word*>(malloc(sizeof(Word))); /* label: neighbours */
    for (int i = 0; i < 16; ++i)
        for (int k = 0; k < i; ++k)
            if (in_one_line(small[i], small[k])) words[0][0] = small[i], words[0][1] = small[k];
    NEED_TRUE(words[0][0] != nullptr);
    free(malloc(300)); /* label: freed */
    both(1, inside(malloc(300)));                      /* label: malloc */
    both(2, inside(calloc(3, 100)));                   /* label: calloc */
    void* grown = malloc(40);
    both(3, inside(realloc(grown, 3000)));             /* label: realloc */
    void* aligned = nullptr;
    NEED_TRUE(posix_memalign(&aligned, 64, 200) == 0); /* label: posix */
    both(4, aligned);
    both(5, aligned_alloc(64, 192));                   /* label: aligned */
    both(6, inside(operator new(300)));                /* label: new */
    both(7, inside(new char[300]));                    /* label: array */
    both(8, inside(operator new(300, std::nothrow)));  /* label: nothrow */
    both(9, operator new(300, std::align_val_t{64}));  /* label: wide */
    const char* preloaded = std::getenv("LD_PRELOAD");
    const bool throws = preloaded == nullptr || std::strstr(preloaded, "mimalloc") == nullptr;  // that one aborts
    try {
        std::set_new_handler([] {
            ++handled;
            std::set_new_handler(nullptr);
        });
        const volatile std::size_t huge = ~std::size_t{0} / 4;
        if (throws) free(operator new(huge));
        NEED_TRUE(!throws);
    } catch (const std::bad_alloc&) {
        NEED_TRUE(handled == 1);
    }
    free(malloc(100));
    run_together(2, work);
    for (auto& block : small) free(block);
    return 0;
}
