// SPDX-License-Identifier: GPL-2.0-or-later
//
// A guard makes bytes Unaddressable and gives them back what they had, whatever happened to them in between: a
// random history against a model that keeps both the states and the guards. A store is told to the owner's
// judge with the first guarded byte, a load gets the states behind the guard, a thread of the library meets
// none, and freed or unmapped memory has none.
#include "client/guards.h"

#include "client/replacement.h"
#include "heap/heap.h"
#include "heap_source.h"
#include "instrument/core/policy.h"
#include "shadow/shadow_map.h"
#include "threads/registry.h"

// The kernel's structures before the C library's macros for their members.
#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <tuple>
#include <vector>

// In place of replacement.cc, instrument.cc, unchecked.cc and registry.cc: a policy to set, listeners to call, and
// one thread of the library.
namespace {
constexpr memspy::u32 kProgram = 1, kHelper = 2;
memspy::instrument::Policy the_policy;
memspy::client::HeapListener heap_listener;
memspy::threads::ThreadListener thread_listener;
}  // namespace

namespace memspy::instrument {
Policy& policy() { return the_policy; }
bool flushes = false;
void request_flush() { flushes = true; }
}  // namespace memspy::instrument
namespace memspy::client {
void listen(const HeapListener& listener) { heap_listener = listener; }
}  // namespace memspy::client
namespace memspy::threads {
void listen(const ThreadListener& listener) { thread_listener = listener; }
Thread thread_of_guest(u32 guest_id) { return {guest_id, guest_id}; }
bool is_helper(Thread t) { return t.serial == kHelper; }
}  // namespace memspy::threads

namespace memspy::client {
namespace {

using shadow::State;
using enum shadow::State;

constexpr usize kLeaf = usize{1} << shadow::kLeafBits;
// Nothing is known about memory there, so it is static.
constexpr Address kStatic = 0x40'0000;

struct Stored {
    u32 thread;
    Address at;
    u32 owner;
    bool operator==(const Stored&) const = default;
};
std::vector<Stored> stored;
std::vector<u32> loaded;
u32 tired = 0;  // the owner that is not worth its guards
u32 told = 0;   // the owner whose loads are mistakes
u32 unset = 0;  // the owner whose values are not there yet

class Guards : public testing::Test {
protected:
    void SetUp() override {
        the_policy = {};
        the_policy.check_static = true;
        stored.clear();
        loaded.clear();
        tired = told = unset = 0;
        shadow::initialise();
        heap::memory_left = ~usize{0};
        heap::initialise({}, heap::kRealSource);
        use_guards({.stores =
                        [](u32 thread, Address a, u32 owner) {
                            stored.push_back({thread, a, owner});
                        },
                    .loads =
                        [](Address, u32 owner) {
                            loaded.push_back(owner);
                            return owner == tired   ? LoadVerdict::Often
                                   : owner == told  ? LoadVerdict::Told
                                   : owner == unset ? LoadVerdict::Unset
                                                    : LoadVerdict::Fine;
                        }});
    }
    void TearDown() override {
        lift_guards();
        EXPECT_FALSE(guards_stand());
        heap::reset();
        shadow::reset();
    }
};

// A live block, all of it in one state.
heap::Block& block(usize bytes, State state = Fine) {
    heap::Block* made = heap::allocate(bytes, 16, heap::AllocKind::Malloc, heap::context(1), kProgram, false);
    shadow::set_range(made->payload, bytes, state);
    return *made;
}

std::vector<State> states(Address begin, usize bytes) {
    std::vector<State> all;
    for (usize i = 0; i < bytes; ++i) all.push_back(shadow::get(begin + i));
    return all;
}
std::vector<State> all_of(usize bytes, State state) { return std::vector<State>(bytes, state); }

TEST_F(Guards, AreRaisedAndLifted) {
    const Address a = block(100).payload;
    shadow::set_range(a + 10, 20, Uninitialised);
    const std::vector<State> before = states(a, 100);
    EXPECT_FALSE(guards_stand());
    ASSERT_TRUE(raise_guard(a + 4, 90, 7));
    EXPECT_TRUE(guards_stand());
    EXPECT_EQ(states(a + 4, 90), all_of(90, Unaddressable));
    EXPECT_EQ(states(a, 4), all_of(4, Fine));
    EXPECT_EQ(states(a + 94, 6), all_of(6, Fine));
    lift_guards();
    EXPECT_FALSE(guards_stand());
    EXPECT_EQ(states(a, 100), before);
}

// Whole leaves share one of Unaddressable, and uninitialised ones may come from a shared one.
TEST_F(Guards, CoverManyLeaves) {
    for (const State state : {Fine, Uninitialised}) {
        const usize bytes = 150 * kLeaf + 40;
        const Address a = block(bytes, state).payload + 8;
        ASSERT_TRUE(raise_guard(a, bytes - 16, 1));
        EXPECT_EQ(shadow::find_first(a, bytes - 16, 1), 0u);
        EXPECT_EQ(shadow::get(a + 70 * kLeaf), Unaddressable);
        lift_guards();
        EXPECT_EQ(shadow::count_uninitialised(a - 8, bytes), state == Fine ? 0 : bytes);
        EXPECT_EQ(shadow::find_first(a - 8, bytes, shadow::kInvalidBit), bytes);
    }
}

TEST_F(Guards, AreRaisedOnlyWhereStoresAreChecked) {
    const heap::Block& live = block(100);
    EXPECT_FALSE(raise_guard(live.payload, 0, 1));
    EXPECT_FALSE(raise_guard(live.payload + 90, 20, 1)) << "beyond the block";
    EXPECT_TRUE(raise_guard(kStatic, 100, 1));
    the_policy.check_static = false;
    EXPECT_FALSE(raise_guard(kStatic + 1000, 100, 1));
    EXPECT_TRUE(raise_guard(live.payload, 100, 1));
    instrument::flushes = false;
    EXPECT_TRUE(raise_guard(kStatic + 2000, 100, kOwnsPieces)) << "from now on they are";
    EXPECT_TRUE(the_policy.check_static && instrument::flushes);
    the_policy.enabled = false;
    EXPECT_FALSE(raise_guard(kStatic + 1000, 100, 1));
    the_policy.enabled = true;

    heap::Block& gone = block(100);
    heap::free(gone, heap::context(2));
    EXPECT_FALSE(raise_guard(gone.payload, 100, 1));
    constexpr Address kStack = 0x1000'0000;
    shadow::make_area(kStack, kStack + 4 * kLeaf);
    EXPECT_FALSE(raise_guard(kStack + 16, 100, 1));
}

Address top_of_stack = 0;

TEST_F(Guards, StandInFramesUntilTheyEnd) {
    constexpr Address kStack = 0x1000'0000, kOther = 0x2000'0000;
    shadow::make_area(kStack, kStack + 4 * kLeaf);
    shadow::make_area(kOther, kOther + 4 * kLeaf);
    use_guards({.stores =
                    [](u32 thread, Address a, u32 owner) {
                        stored.push_back({thread, a, owner});
                    },
                .loads = [](Address, u32) { return LoadVerdict::Fine; },
                .top_of_stack = [] { return top_of_stack; }});
    top_of_stack = kStack + 64;
    EXPECT_FALSE(raise_guard(kStack + 80, 8, 1)) << "stacks are not followed";
    the_policy.follow_stack = true;
    EXPECT_FALSE(raise_guard(kStack + 56, 8, 1)) << "the frame has ended";
    EXPECT_FALSE(raise_guard(kOther + 80, 8, 1)) << "another thread's";
    ASSERT_TRUE(raise_guard(kStack + 80, 8, 1));
    meet_guards(kProgram, kStack + 84, 4);
    EXPECT_EQ(stored, (std::vector<Stored>{{kProgram, kStack + 84, 1}}));
    EXPECT_EQ(states(kStack + 80, 8), all_of(8, Fine));
    // Another thread may lift it.
    ASSERT_TRUE(raise_guard(kStack + 80, 8, 3));
    top_of_stack = kOther + 64;
    lift_guards();
    EXPECT_EQ(states(kStack + 80, 8), all_of(8, Fine));
    top_of_stack = kStack + 64;
    // The function returns under a guard: its frame has become Unaddressable by that.
    ASSERT_TRUE(raise_guard(kStack + 80, 8, 2));
    top_of_stack = kStack + 100;
    lift_guards();
    EXPECT_EQ(states(kStack + 80, 8), all_of(8, Unaddressable));
}

TEST_F(Guards, AreNotRaisedTwiceNorOnInvalidBytes) {
    const Address a = block(100).payload;
    ASSERT_TRUE(raise_guard(a, 50, 1));
    EXPECT_FALSE(raise_guard(a + 49, 10, 2));
    EXPECT_TRUE(raise_guard(a + 50, 10, 2));
    shadow::set(a + 80, Unaddressable);
    EXPECT_FALSE(raise_guard(a + 70, 20, 3));
    EXPECT_EQ(states(a + 70, 10), all_of(10, Fine)) << "nothing of it is guarded";
}

TEST_F(Guards, HaveEightRunsOfStatesAtMost) {
    const Address a = block(64).payload;
    for (unsigned i = 1; i < 9; i += 2) shadow::set(a + i, Uninitialised);
    const std::vector<State> before = states(a, 64);
    EXPECT_FALSE(raise_guard(a, 64, 1)) << "nine runs";
    EXPECT_EQ(states(a, 64), before);
    EXPECT_FALSE(guards_stand());
    ASSERT_TRUE(raise_guard(a + 1, 63, 1)) << "eight";
    lift_guards();
    EXPECT_EQ(states(a, 64), before);
}

TEST_F(Guards, AreFourThousandAtMost) {
    for (u32 i = 0; i < 4096; ++i) ASSERT_TRUE(raise_guard(kStatic + 16 * i, 8, i)) << i;
    EXPECT_FALSE(raise_guard(kStatic - 16, 8, 5000));
    lift_guards(kStatic, 8);
    EXPECT_TRUE(raise_guard(kStatic - 16, 8, 5000));
}

TEST_F(Guards, OfARangeAreThoseThatShareBytes) {
    const Address a = block(100).payload;
    ASSERT_TRUE(raise_guard(a, 10, 1));
    ASSERT_TRUE(raise_guard(a + 20, 10, 1));
    ASSERT_TRUE(raise_guard(a + 40, 10, 1));
    lift_guards(a + 10, 10);
    lift_guards(a + 50, 100);
    EXPECT_EQ(shadow::get(a + 9), Unaddressable);
    EXPECT_EQ(shadow::get(a + 40), Unaddressable);
    lift_guards(a + 29, 1);
    EXPECT_EQ(states(a + 10, 30), all_of(30, Fine));
    EXPECT_EQ(states(a, 10), all_of(10, Unaddressable));
    EXPECT_EQ(states(a + 40, 10), all_of(10, Unaddressable));
    lift_guards(a + 49, 1);
    EXPECT_EQ(states(a + 40, 10), all_of(10, Fine));
}

TEST_F(Guards, TellTheirJudgeOfAStore) {
    const Address a = block(100).payload;
    ASSERT_TRUE(raise_guard(a + 10, 10, 1));
    ASSERT_TRUE(raise_guard(a + 60, 10, 1));
    ASSERT_TRUE(raise_guard(a + 40, 10, 2));
    meet_guards(kProgram, a, 10);
    EXPECT_TRUE(stored.empty()) << "beside the guard";
    meet_guards(kProgram, a + 6, 8);
    EXPECT_EQ(stored, (std::vector<Stored>{{kProgram, a + 10, 1}}));
    EXPECT_EQ(states(a + 60, 10), all_of(10, Fine)) << "all of this owner are lifted";
    EXPECT_EQ(states(a + 40, 10), all_of(10, Unaddressable)) << "others stand";
    meet_guards(kProgram, a + 45, 1);
    EXPECT_EQ(stored.back(), (Stored{kProgram, a + 45, 2}));
    EXPECT_FALSE(guards_stand());
}

TEST_F(Guards, FallOneByOneIfTheirOwnerOwnsPieces) {
    const Address a = block(100).payload;
    for (Address at = a; at < a + 40; at += 10) ASSERT_TRUE(raise_guard(at, 10, kOwnsPieces));
    meet_guards(kProgram, a + 12, 4);
    EXPECT_EQ(stored, (std::vector<Stored>{{kProgram, a + 12, kOwnsPieces}}));
    EXPECT_EQ(states(a + 10, 10), all_of(10, Fine));
    EXPECT_EQ(states(a, 10), all_of(10, Unaddressable));
    EXPECT_EQ(states_behind_guards(a + 26, 8, shadow::get_bits(a + 26, 8)), 0u);
    EXPECT_EQ(loaded, (std::vector<u32>{kOwnsPieces, kOwnsPieces}));
    EXPECT_EQ(states(a + 20, 10), all_of(10, Fine)) << "a load takes its guard away, too";
    EXPECT_EQ(states(a + 30, 10), all_of(10, Fine)) << "both that it meets";
    EXPECT_EQ(states(a, 10), all_of(10, Unaddressable));
}

TEST_F(Guards, TellEachOwnerThatAStoreMeets) {
    const Address a = block(100).payload;
    ASSERT_TRUE(raise_guard(a, 20, 1));
    ASSERT_TRUE(raise_guard(a + 20, 20, 2));
    meet_guards(kProgram, a + 10, 30);
    EXPECT_EQ(stored, (std::vector<Stored>{{kProgram, a + 10, 1}, {kProgram, a + 20, 2}}));
}

TEST_F(Guards, LetThreadsOfTheLibraryStore) {
    const Address a = block(100).payload;
    ASSERT_TRUE(raise_guard(a, 10, 1));
    ASSERT_TRUE(raise_guard(a + 20, 10, 1));
    meet_guards(kHelper, a + 8, 4);
    EXPECT_TRUE(stored.empty());
    EXPECT_EQ(states(a, 10), all_of(10, Fine));
    EXPECT_EQ(states(a + 20, 10), all_of(10, Unaddressable));
}

TEST_F(Guards, HideWhatTheirOwnerHasStored) {
    const Address a = block(16).payload;
    ASSERT_TRUE(raise_guard(a + 4, 4, 5));
    unset = 5;
    EXPECT_EQ(states_behind_guards(a, 8, shadow::get_bits(a, 8)), u64{0x55} << 8);
    EXPECT_TRUE(guards_stand());
    lift_guards();
    EXPECT_EQ(states(a, 16), all_of(16, Fine));
}

TEST_F(Guards, ShowTheStatesBehindThem) {
    const Address a = block(32).payload;
    shadow::set_range(a + 4, 4, Uninitialised);
    shadow::set(a + 12, Unaddressable);
    const u64 before = shadow::get_bits(a, 16);
    ASSERT_TRUE(raise_guard(a + 2, 8, 3));
    EXPECT_NE(shadow::get_bits(a, 16), before);
    EXPECT_EQ(states_behind_guards(a, 16, shadow::get_bits(a, 16)), before);
    // A guard for each of three runs of states.
    EXPECT_EQ(loaded, (std::vector<u32>{3, 3, 3}));
    EXPECT_TRUE(guards_stand());
    EXPECT_EQ(states_behind_guards(a + 12, 4, shadow::get_bits(a + 12, 4)), before >> 24)
        << "what is invalid itself stays so";
    tired = 3;
    EXPECT_EQ(states_behind_guards(a, 16, shadow::get_bits(a, 16)), before);
    EXPECT_FALSE(guards_stand());
    EXPECT_EQ(shadow::get_bits(a, 16), before);
    ASSERT_TRUE(raise_guard(a + 2, 8, 4));
    told = 4;
    EXPECT_EQ(states_behind_guards(a + 2, 8, shadow::get_bits(a + 2, 8)), 0u)
        << "values of a mistake that is told";
    EXPECT_FALSE(guards_stand());
    EXPECT_EQ(shadow::get_bits(a, 16), before);
}

TEST_F(Guards, EndWithTheirMemory) {
    heap::Block& live = block(100);
    ASSERT_TRUE(raise_guard(live.payload, 100, 1));
    ASSERT_TRUE(raise_guard(kStatic, 100, 2));
    heap_listener.released(live);
    EXPECT_EQ(states(live.payload, 100), all_of(100, Fine));
    EXPECT_EQ(states(kStatic, 100), all_of(100, Unaddressable));
    thread_listener.unmapped(kStatic + 99, 4096);
    EXPECT_FALSE(guards_stand());
    ASSERT_TRUE(raise_guard(kStatic, 100, 2));
    thread_listener.mapped(kStatic - 4096, 4097);
    EXPECT_FALSE(guards_stand());
    EXPECT_TRUE(stored.empty());
}

// Memory that became something else below a guard keeps its new state.
TEST_F(Guards, GiveBackOnlyWhatIsStillGuarded) {
    const Address a = block(3 * kLeaf).payload;
    ASSERT_TRUE(raise_guard(a, 3 * kLeaf, 1));
    shadow::set_range(a + 100, 50, Freed);
    shadow::set_range(a + kLeaf, kLeaf, Uninitialised);
    EXPECT_EQ(states_behind_guards(a + 96, 8, shadow::get_bits(a + 96, 8)), 0xaa00u)
        << "Freed is not guarded";
    lift_guards();
    EXPECT_EQ(states(a, 100), all_of(100, Fine));
    EXPECT_EQ(states(a + 100, 50), all_of(50, Freed));
    EXPECT_EQ(states(a + 150, 50), all_of(50, Fine));
    EXPECT_EQ(shadow::count_uninitialised(a + kLeaf, kLeaf), kLeaf);
    EXPECT_EQ(shadow::find_first(a + 2 * kLeaf, kLeaf, 3), kLeaf);
}

TEST_F(Guards, BehaveAsModel) {
    struct Model {
        State own;
        u32 owner;  // 0: no guard
    };
    constexpr usize kBytes = 2 * kLeaf + 300;
    const Address base = block(kBytes).payload;
    std::vector<Model> model(kBytes, Model{Fine, 0});
    std::mt19937_64 random(20);
    const auto lift_owner = [&](u32 owner) {
        for (Model& byte : model)
            if (byte.owner == owner) byte.owner = 0;
    };
    for (u32 round = 1; round <= 20'000; ++round) {
        const usize at = random() % kBytes;
        const usize most = random() % 20 == 0 ? kBytes : 40;
        const usize bytes = 1 + random() % (most < kBytes - at ? most : kBytes - at);
        const u64 what = random() % 8;
        if (what < 3) {
            bool free = true;
            usize runs = 1;
            for (usize i = at; i < at + bytes; ++i) {
                free = free && model[i].owner == 0;
                runs += i > at && model[i].own != model[i - 1].own;
            }
            const bool done = raise_guard(base + at, bytes, round);
            ASSERT_EQ(done, free && runs <= 8) << round;
            if (done)
                for (usize i = at; i < at + bytes; ++i) model[i].owner = round;
        } else if (what < 5) {
            // One owner after the other, as they meet the store, each lifted whole.
            std::vector<std::tuple<usize, u32>> expected;
            for (usize i = at; i < at + bytes; ++i) {
                if (model[i].owner == 0) continue;
                expected.emplace_back(i, model[i].owner);
                lift_owner(model[i].owner);
            }
            stored.clear();
            meet_guards(kProgram, base + at, bytes);
            std::vector<std::tuple<usize, u32>> met;
            for (const Stored& one : stored) met.emplace_back(one.at - base, one.owner);
            std::sort(met.begin(), met.end());
            ASSERT_EQ(met, expected) << round;
        } else if (what == 5) {
            const unsigned count = static_cast<unsigned>(bytes < 32 ? bytes : 32);
            u64 expected = 0;
            for (unsigned i = 0; i < count; ++i) expected |= static_cast<u64>(model[at + i].own) << (2 * i);
            ASSERT_EQ(states_behind_guards(base + at, count, shadow::get_bits(base + at, count)), expected)
                << round;
        } else if (what == 6) {
            // As the program defines or forgets bytes: their guards are lifted before.
            meet_guards(kHelper, base + at, bytes);
            const State state = random() % 2 == 0 ? Fine : Uninitialised;
            for (usize i = at; i < at + bytes; ++i) ASSERT_NE(shadow::get(base + i), Unaddressable) << round;
            shadow::set_range(base + at, bytes, state);
            // Each guard of one run that shares bytes with the range is gone whole; the states tell which.
            for (usize i = 0; i < kBytes; ++i)
                if (model[i].owner != 0 && shadow::get(base + i) != Unaddressable) model[i].owner = 0;
            for (usize i = at; i < at + bytes; ++i) model[i] = {state, 0};
        } else if (random() % 50 == 0) {
            lift_guards();
            for (Model& byte : model) byte.owner = 0;
        }
        if (round % 16 != 0) continue;
        for (usize i = 0; i < kBytes; ++i)
            ASSERT_EQ(shadow::get(base + i), model[i].owner != 0 ? Unaddressable : model[i].own)
                << round << ", offset " << i;
    }
}

}  // namespace
}  // namespace memspy::client
