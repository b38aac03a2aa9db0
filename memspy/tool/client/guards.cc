// SPDX-License-Identifier: GPL-2.0-or-later
#include "client/guards.h"

#include "client/heap_events.h"
#include "heap/heap.h"
#include "instrument/core/policy.h"
#include "instrument/core/unchecked.h"
#include "rt/global.h"
#include "rt/vector.h"
#include "shadow/shadow_map.h"
#include "threads/registry.h"

namespace memspy::client {
namespace {

using shadow::State;

struct Guard {
    Address begin;
    usize bytes;
    State state;  // of its bytes
    u32 owner;
    bool in_frame;
};
// An access that meets one looks at all. A type with holes has many.
constexpr usize kMostGuards = 4096;
// A message that arrives by and by has two.
constexpr usize kMostRuns = 8;

constinit GuardJudge g_judge = {};
rt::Global<rt::Vector<Guard>> guards;
Address low = ~Address{0}, high = 0;  // all guards lie between

bool meets(const Guard& guard, Address begin, usize bytes) {
    return guard.begin < begin + bytes && begin < guard.begin + guard.bytes;
}

// The running thread's stack has `a`; `is_live` is whether a function that has not returned yet has.
bool is_on_stack(Address a, bool& is_live) {
    const Address top = g_judge.top_of_stack == nullptr ? 0 : g_judge.top_of_stack();
    const shadow::Area* const area = shadow::area_at(a);
    is_live = a >= top;
    return area != nullptr && area == shadow::area_at(top);
}

// What is not Unaddressable any more was freed, or became other memory. A frame that has ended is Unaddressable.
void lift(const Guard& guard) {
    bool is_live = false;
    if (guard.in_frame && is_on_stack(guard.begin, is_live) && !is_live) return;
    constexpr usize kAtOnce = 32;
    constexpr usize kLeaf = usize{1} << shadow::kLeafBits;
    for (usize done = 0; done < guard.bytes;) {
        const Address at = guard.begin + done;
        const usize rest = guard.bytes - done;
        if (at % kLeaf == 0 && rest >= kLeaf && shadow::is_wholly(at, State::Unaddressable)) {
            usize run = kLeaf;
            while (rest - run >= kLeaf && shadow::is_wholly(at + run, State::Unaddressable)) run += kLeaf;
            shadow::set_range(at, run, guard.state);
            done += run;
            continue;
        }
        const usize count = rest < kAtOnce ? rest : kAtOnce;
        const u64 states = shadow::get_bits(at, static_cast<unsigned>(count));
        constexpr u64 kLow = 0x5555'5555'5555'5555u;
        const u64 both = states & states >> 1 & kLow;
        const u64 after = (states & ~(both | both << 1)) | (guard.state == State::Uninitialised ? both : 0);
        if (after != states) shadow::set_bits(at, static_cast<unsigned>(count), after);
        done += count;
    }
}

template <typename F>
void lift_if(F&& goes) {
    usize kept = 0;
    low = ~Address{0};
    high = 0;
    for (const Guard& guard : *guards) {
        if (goes(guard)) {
            lift(guard);
            continue;
        }
        if (guard.begin < low) low = guard.begin;
        if (guard.begin + guard.bytes > high) high = guard.begin + guard.bytes;
        (*guards)[kept++] = guard;
    }
    guards->resize(kept);
}

Guard* find_guard(Address begin, usize bytes) {
    if (begin >= high || begin + bytes <= low) return nullptr;
    for (Guard& guard : *guards)
        if (meets(guard, begin, bytes)) return &guard;
    return nullptr;
}

// Of frames only the thread's own, which do not end before it goes on. What it stores there off the stack
// pointer is not checked; code without optimisation uses the frame pointer. Constant addresses are checked
// from the first guard of pieces there on: nobody compares such memory.
bool is_checked(Address begin, usize bytes, u32 owner) {
    const heap::Block* block = heap::find_near(begin);
    if (block != nullptr && block->contains(begin))
        return !block->is_freed() && begin + bytes <= block->payload + block->size;
    bool is_live = false;
    if (shadow::area_at(begin) != nullptr)
        return instrument::policy().follow_stack && is_on_stack(begin, is_live) && is_live;
    instrument::Policy& policy = instrument::policy();
    if (!policy.check_static && owner == kOwnsPieces) {
        policy.check_static = true;
        instrument::request_flush();
    }
    return policy.check_static;
}

// The bytes from `at` that have its state; none is invalid.
Guard run_at(Address at, usize bytes, u32 owner) {
    constexpr usize kAtOnce = 32;
    constexpr u64 kUninitialised = 0x5555'5555'5555'5555u;
    const State state = shadow::get(at);
    const bool in_frame = shadow::area_at(at) != nullptr;
    if (state == State::Fine) return {at, shadow::find_first(at, bytes, 3), state, owner, in_frame};
    if (shadow::count_uninitialised(at, bytes) == bytes) return {at, bytes, state, owner, in_frame};
    usize run = 0;
    for (;; run += kAtOnce) {
        const usize count = bytes - run < kAtOnce ? bytes - run : kAtOnce;
        const u64 others =
            shadow::get_bits(at + run, static_cast<unsigned>(count)) ^ (kUninitialised >> (64 - 2 * count));
        if (others != 0)
            return {at, run + static_cast<usize>(__builtin_ctzll(others)) / 2, state, owner, in_frame};
    }
}

}  // namespace

void use_guards(const GuardJudge& judge) {
    g_judge = judge;
    listen({.released = [](const heap::Block& block) { lift_guards(block.payload, block.size); }});
    const auto forget = [](Address begin, usize bytes) { lift_guards(begin, bytes); };
    threads::listen({.mapped = forget, .unmapped = forget});
}

bool raise_guard(Address begin, usize bytes, u32 owner) {
    if (!instrument::policy().enabled || bytes == 0 || !is_checked(begin, bytes, owner) ||
        shadow::find_first(begin, bytes, shadow::kInvalidBit) < bytes)
        return false;
    Guard runs[kMostRuns];
    usize count = 0;
    for (usize done = 0; done < bytes; ++count) {
        if (count == kMostRuns) return false;
        runs[count] = run_at(begin + done, bytes - done, owner);
        done += runs[count].bytes;
    }
    if (guards->size() + count > kMostGuards) return false;
    for (usize i = 0; i < count; ++i) guards->push_back(runs[i]);
    shadow::set_range(begin, bytes, State::Unaddressable);
    if (begin < low) low = begin;
    if (begin + bytes > high) high = begin + bytes;
    return true;
}

void lift_guards() {
    if (!guards->empty()) lift_if([](const Guard&) { return true; });
}
void lift_guards(Address begin, usize bytes) {
    if (find_guard(begin, bytes) == nullptr) return;
    lift_if([=](const Guard& guard) { return meets(guard, begin, bytes); });
}

bool guards_stand() { return !guards->empty(); }

u64 states_behind_guards(Address a, unsigned bytes, u64 states) {
    bool lifts = false, met_piece = false;
    u32 owner = 0;
    for (Guard* guard = find_guard(a, bytes); guard != nullptr && guard != guards->end(); ++guard) {
        if (!meets(*guard, a, bytes)) continue;
        met_piece |= guard->owner == kOwnsPieces;
        const LoadVerdict verdict = g_judge.loads(guard->begin > a ? guard->begin : a, guard->owner);
        const State behind = verdict == LoadVerdict::Told    ? State::Fine
                             : verdict == LoadVerdict::Unset ? State::Uninitialised
                                                             : guard->state;
        for (unsigned i = 0; i < bytes; ++i) {
            const u64 both = u64{3} << (2 * i);
            if (a + i < guard->begin || a + i >= guard->begin + guard->bytes || (states & both) != both)
                continue;
            states = (states & ~both) | static_cast<u64>(behind) << (2 * i);
        }
        if (verdict == LoadVerdict::Fine || verdict == LoadVerdict::Unset) continue;
        lifts = true;
        owner = guard->owner;
    }
    if (lifts) lift_if([=](const Guard& guard) { return guard.owner == owner; });
    if (met_piece)
        lift_if([=](const Guard& guard) { return guard.owner == kOwnsPieces && meets(guard, a, bytes); });
    return states;
}

void meet_guards(u32 thread, Address a, usize bytes) {
    while (const Guard* met = find_guard(a, bytes)) {
        // A thread of the library stores what arrives.
        if (threads::is_helper(threads::thread_of_guest(thread))) return lift_guards(a, bytes);
        const Address at = met->begin > a ? met->begin : a;
        const u32 owner = met->owner;
        lift_if([=](const Guard& guard) {
            return guard.owner == owner && (owner != kOwnsPieces || meets(guard, a, bytes));
        });
        g_judge.stores(thread, at, owner);
    }
}

}  // namespace memspy::client
