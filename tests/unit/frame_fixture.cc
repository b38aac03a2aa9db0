// SPDX-License-Identifier: GPL-2.0-or-later
//
// Functions whose variables variables_test looks up; compiled without sanitizers, which change frames.
#include "frame_fixture.h"

namespace {

struct Inner {
    short half;
    double whole[2];
};
struct Outer {
    char tag;
    Inner rows[3];
    union {
        int number;
        float fraction;
    } either;
    unsigned low : 3, high : 5;
};
struct Base {
    long first;
};
struct Derived : Base {
    int second[2];
};

#if defined(__x86_64__)
#define STACK_POINTER(into) asm volatile("mov %%rsp, %0" : "=r"(into))
#else
#define STACK_POINTER(into) asm volatile("mov %0, sp" : "=r"(into))
#endif

// Asks from here for the byte at `address`.
#define ASK(address, expected)                                                                               \
    do {                                                                                                     \
        memspy::usize stack_pointer;                                                                         \
        STACK_POINTER(stack_pointer);                                                                        \
        fixture_ask(reinterpret_cast<const char*>(address), __builtin_dwarf_cfa(), stack_pointer,            \
                    __builtin_frame_address(0), expected);                                                   \
    } while (false)

[[gnu::noinline]] void keep(void* p) { asm volatile("" : : "r"(p) : "memory"); }

[[gnu::always_inline]] inline void inlined_call(int parameter) {
    int inside[5];
    keep(&parameter);
    keep(inside);
    ASK(&inside[3], "variable `inside[3]` of inlined_call, inlined");
}

}  // namespace

[[gnu::noinline]] void fixture_run(int argument) {
    char text[20];
    int grid[2][3];
    Outer outer;
    Outer outers[2];
    Derived derived;
    keep(text);
    keep(grid);
    keep(&outer);
    keep(outers);
    keep(&derived);
    keep(&argument);
    ASK(text, "variable `text`");
    ASK(text + 19, "variable `text[19]`");
    ASK(&grid[1][2], "variable `grid[1][2]`");
    ASK(reinterpret_cast<char*>(&grid[1][2]) + 3, "variable `grid[1][2]`");
    ASK(&outer, "variable `outer`");
    ASK(reinterpret_cast<char*>(&outer) + 1, "padding of variable `outer`");
    ASK(&outer.rows[1].whole[1], "variable `outer.rows[1].whole[1]`");
    ASK(reinterpret_cast<char*>(&outer.rows[2].half) + 5, "padding of variable `outer.rows[2]`");
    ASK(&outer.either.fraction, "variable `outer.either`");
    ASK(reinterpret_cast<char*>(&outer.either) + 4, "variable `outer`");  // bit-fields
    ASK(&outers[1].rows[0].half, "variable `outers[1].rows[0].half`");
    ASK(&derived.second[1], "variable `derived.second[1]`");
#if !defined(__OPTIMIZE__)
    ASK(&argument, "variable `argument`");
#endif
    if (argument > 1) {
        long left[4];
        keep(left);
        ASK(&left[1], "variable `left[1]`");
        asm volatile("# so that the calls of both branches are not made one");
    } else {
        short right[16];
        keep(right);
        ASK(&right[1], "variable `right[1]`");
    }
    inlined_call(argument);
}

// A realigned frame is found by the frame pointer; an array of variable length has no name.
[[gnu::noinline]] void fixture_aligned(int count) {
    alignas(64) int aligned[20];
    int several[count];
    keep(aligned);
    keep(several);
#if !defined(__clang__)
    ASK(&aligned[7], "variable `aligned[7]`");
#endif
    ASK(&several[1], nullptr);
}

namespace {
struct Slot {
    long hits;
    int ids[2];
};
Slot slots[3];
constexpr int kSlots = __LINE__ - 1;
struct Registry {
    static int level;
};
int Registry::level;
}  // namespace

void fixture_statics(void (*ask)(const StaticQuestion&)) {
    static int calls;
    constexpr int kCalls = __LINE__ - 1;
    keep(slots);
    keep(&calls);
    keep(&Registry::level);
    ask({&slots[2].hits, 8, "slots[2].hits", kSlots});
    ask({&slots[1].ids[1], 4, "slots[1].ids[1]", kSlots});
    ask({&slots[1].ids[0], 8, "slots[1].ids", kSlots});
    ask({&slots[1], 16, "slots[1]", kSlots});
    ask({&calls, 4, "calls", kCalls});
    ask({&Registry::level, 4, "level", 0});
}
