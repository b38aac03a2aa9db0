// SPDX-License-Identifier: GPL-2.0-or-later
//
// Variables and inlined calls in C++, with their names; names_test.py compiles it in many ways.
#include <array>
#include <atomic>
#include <cstddef>

#include "reporting.h"

namespace app {

struct Empty {};

struct Counter {
    long hits = 0;
    int misses = 0;
    static int instances;
    static inline long inline_total[3] = {1, 2, 3};
};
int Counter::instances;

struct Named {
    char name[6] = {};
    int id = 0;
};

struct Tracked : Empty, Counter, Named {
    int own = 0;
    int Named::*pointer = nullptr;
};

struct Shadowing : Counter {
    long hits = 0;
};

struct Polymorphic {
    // clang describes a class in the unit of one of its constructors.
    explicit Polymorphic(int given) : value(given) {}
    virtual ~Polymorphic() = default;
    virtual int get() { return value; }
    int value;
};

struct Derived final : Polymorphic {
    using Polymorphic::Polymorphic;
    int get() override { return more[1]; }
    int more[2] = {};
};

template <typename T, int N>
struct Ring {
    T items[N] = {};
    unsigned head = 0;
    struct Node {
        Ring* owner = nullptr;
        T value{};
    } last;
};

struct Flags {
    bool on : 1;
    unsigned level : 5;
    long long wide : 33;
};

constexpr int kTrackedLine = __LINE__ + 1;
static Tracked tracked[2];
Shadowing shadowing;
Derived derived(1);
constexpr int kRingLine = __LINE__ + 1;
static Ring<int, 4> ring;
std::atomic<long> total;
std::array<Counter, 3> counters;
Flags flags;

inline namespace v2 {
int versioned[2];
}
namespace {
long hidden[2];
}

int tick(int by) {
    static Counter calls;
    calls.misses += by;
    PART_AS("app::tick(int)::calls.misses", calls.misses);
    return calls.misses;
}

// The linker may drop a function that is never called, with its debug information.
int dropped[100];
int never_called() { return dropped[3]; }

struct Place {
    void* pc;
    int leaf, middle;
};

static ALWAYS_INLINE Place leaf(int value) {
    Place place{nullptr, __LINE__ + 1, value};
    HERE(place.pc);
    return place;
}

struct Worker {
    ALWAYS_INLINE Place middle(int value) const {
        const int line = __LINE__ + 1;
        Place place = leaf(value);
        place.middle = line;
        return place;
    }
};

template <typename T>
NEVER_INLINE void code(T value) {
    const int line = __LINE__ + 1;
    const Place place = Worker().middle(value);
    printf("code\t%lx\tapp::leaf(int):%d\tapp::Worker::middle(int) const:%d\tvoid app::code<int>(int):%d\n",
           link_time(place.pc), place.leaf, place.middle, line);
}

}  // namespace app

extern "C" void report() {
    PART(app::tracked[1].hits);
    PART(app::tracked[1].name[5]);
    PART(app::tracked[0].own);
    PART(app::tracked[0].id);
    PART(app::tracked[1].pointer);
    PART(app::shadowing.app::Counter::hits);
    PART(app::shadowing.hits);
    PART(app::shadowing.misses);
    PART(app::derived.value);
    PART(app::derived.more[1]);
    PART(app::Counter::instances);
    PART(app::Counter::inline_total[2]);
    PART(app::ring.items[3]);
    PART(app::ring.last.value);
    PART(app::counters);
    PART(app::counters[2].misses);
    PART(app::total);
    PART_AS("app::v2::versioned[1]", app::versioned[1]);
    PART_AS("app::(anonymous namespace)::hidden[1]", app::hidden[1]);
    PADDING("app::tracked[0]", app::tracked[0].own, 1);
    VARIABLE("app::tracked", "app::Tracked[2]", app::kTrackedLine, app::tracked);
    VARIABLE("app::ring", "app::Ring<int, 4>", app::kRingLine, app::ring);
#define BITS_IN app::flags
#define BITS_NAME "app::flags"
    BITS(level);
    BITS(wide);
    app::tick(1);
    app::code(1);
}

#ifndef LIBRARY
int main() { report(); }
#endif
