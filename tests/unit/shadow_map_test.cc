// SPDX-License-Identifier: GPL-2.0-or-later
//
// The shadow map has the same state for each byte as an array of states, however it is stored. Generated code
// reads from it either the same state or Unaddressable in a shared leaf, and beyond the end of a leaf nothing better than
// what the next one has.
#include "shadow/shadow_map.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <random>
#include <vector>

namespace memspy::shadow {
namespace {

constexpr usize kLeaf = usize{1} << kLeafBits;

// Generated code's way, see shadow_map.h.
const u8* raw_leaf(Address a) {
    return reinterpret_cast<const u8*>(reinterpret_cast<u64>(shared_leaf()) +
                                       primary_table()[(a >> kLeafBits) & kIndexMask]);
}
State raw_state(Address a) {
    return static_cast<State>((raw_leaf(a)[(a & kLeafMask) >> 2] >> 2 * (a & 3)) & 3);
}
void raw_store_fine(Address a) {
    u8* byte = const_cast<u8*>(raw_leaf(a)) + ((a & kLeafMask) >> 2);
    *byte = static_cast<u8>(*byte & ~(3u << 2 * (a & 3)));
}

class ShadowMap : public testing::Test {
protected:
    void SetUp() override { initialise(); }
    void TearDown() override {
        reset();
        EXPECT_EQ(leaf_count(), 0u);
        // Nothing may have written to the shared leaves.
        for (usize i = 0; i < kLeafBytes; ++i) ASSERT_EQ(shared_leaf()[i], 0) << i;
    }
};

class Model {
public:
    Model(Address base, usize bytes) : base_(base), states_(bytes, 0) {}

    void check_bytes(usize from, usize count) const {
        for (usize i = from; i < from + count; ++i) {
            auto wanted = static_cast<State>(states_[i]);
            ASSERT_EQ(get(base_ + i), wanted) << "offset " << i;
            State raw = raw_state(base_ + i);
            ASSERT_TRUE(raw == wanted || (raw == State::Unaddressable && wanted != State::Fine)) << "offset " << i;
        }
    }
    void check_all() const {
        for (usize i = 0; i < states_.size(); i += 32) {
            u64 wanted = 0;
            for (unsigned j = 0; j < 32; ++j) wanted |= u64{states_[i + j]} << 2 * j;
            ASSERT_EQ(get_bits(base_ + i, 32), wanted) << "offset " << i;
        }
    }
    bool is_fine(usize at) const {  // four bytes from there
        return at >= states_.size() || std::all_of(&states_[at], &states_[at] + 4, [](u8 s) { return s == 0; });
    }
    // What a pad shows of the next leaf is fine there.
    void check_pads() const {
        for (usize leaf = 0; leaf < states_.size(); leaf += kLeaf)
            for (usize i = 0; i < kLeafPad; ++i) {
                const u8 pad = raw_leaf(base_ + leaf)[kLeafBytes + i];
                if (pad == 0xff) continue;
                ASSERT_LT(i, kRevealedBytes);
                ASSERT_EQ(pad, 0);
                ASSERT_TRUE(is_fine(leaf + kLeaf + 4 * i)) << "leaf " << leaf << " byte " << i;
            }
    }
    // After reveal_beyond() the pad shows whatever is fine. A shared leaf's does only if all of it is.
    void check_revealed(usize leaf) const {
        const u8* const raw = raw_leaf(base_ + leaf);
        bool all = true, shown = true;
        for (usize i = 0; i < kRevealedBytes; ++i) {
            all &= is_fine(leaf + kLeaf + 4 * i);
            shown &= raw[kLeafBytes + i] == 0;
        }
        const usize from_shared = static_cast<usize>(raw - shared_leaf());
        if (from_shared < 5 * (kLeafBytes + kLeafPad)) {
            ASSERT_EQ(shown, all && get(base_ + leaf) == State::Fine);
            return;
        }
        for (usize i = 0; i < kRevealedBytes; ++i)
            ASSERT_EQ(raw[kLeafBytes + i], is_fine(leaf + kLeaf + 4 * i) ? 0 : 0xff);
    }

    Address base_;
    std::vector<u8> states_;
};

// Random operations over a few leaves; `large` makes ranges so long that shared leaves are used.
void run_against_model(Address base, usize bytes, bool large, int rounds, unsigned seed) {
    std::mt19937_64 random(seed);
    Model model(base, bytes);
    auto range = [&](usize* at, usize* count) {
        usize limit = random() % 3 == 0 ? bytes : 300;
        if (large && random() % 8 == 0) limit = bytes * 2;
        *at = random() % bytes;
        if (random() % 3 == 0) *at = *at / kLeaf * kLeaf + random() % 40;               // about a leaf's start
        if (random() % 3 == 0) *at = (*at / kLeaf + 1) * kLeaf - random() % 40 - 1;     // about its end
        *count = std::min(static_cast<usize>(random() % limit), bytes - *at);
    };
    for (int round = 0; round < rounds; ++round) {
        usize at, count;
        range(&at, &count);
        Address a = base + at;
        u8* states = model.states_.data() + at;
        switch (random() % 10) {
            case 0:
            case 1: {
                u8 state = static_cast<u8>(random() % 4);
                set_range(a, count, static_cast<State>(state));
                std::fill_n(states, count, state);
                break;
            }
            case 2: {
                u8 state = static_cast<u8>(random() % 4);
                set(a, static_cast<State>(state));
                *states = state;
                break;
            }
            case 3: {
                unsigned few = static_cast<unsigned>(std::min<usize>(count, 32));
                u64 bits = random() & (random() % 2 ? ~u64{0} : random());
                set_bits(a, few, bits);
                for (unsigned i = 0; i < few; ++i) states[i] = (bits >> 2 * i) & 3;
                break;
            }
            case 4: {
                usize to, ignored;
                range(&to, &ignored);
                if (random() % 2) to = std::min(bytes, at + random() % 100) - std::min<usize>(at, random() % 100);
                if (random() % 3 == 0) to = (to & ~usize{3}) | (at & 3);
                if (to >= bytes) to = bytes - 1;
                count = std::min(count, bytes - to);
                copy_range(base + to, a, count);
                std::memmove(model.states_.data() + to, states, count);
                break;
            }
            case 5: {
                u8 mask = static_cast<u8>(random() % 4);
                usize wanted = static_cast<usize>(
                    std::find_if(states, states + count, [&](u8 s) { return (s & mask) != 0; }) - states);
                ASSERT_EQ(find_first(a, count, mask), wanted);
                ASSERT_EQ(count_uninitialised(a, count), static_cast<usize>(std::count(states, states + count, 1)));
                break;
            }
            case 6: {
                unsigned few = static_cast<unsigned>(std::min<usize>(count, 32));
                u64 wanted = 0;
                for (unsigned i = 0; i < few; ++i) wanted |= u64{states[i]} << 2 * i;
                ASSERT_EQ(get_bits(a, few), wanted);
                break;
            }
            case 7:
                // The stores of generated code for defined data.
                for (usize i = 0; i < std::min<usize>(count, 64); ++i) {
                    State seen = raw_state(a + i);
                    if (seen != State::Fine && seen != State::Uninitialised) continue;
                    raw_store_fine(a + i);
                    states[i] = 0;
                }
                break;
            case 8: {
                const usize leaf = at / kLeaf * kLeaf;
                const Address near_end = base + leaf + kLeaf - 1 - random() % 31;
                ASSERT_FALSE(reveal_beyond(base + leaf + kLeaf - 32));
                reveal_beyond(near_end);
                model.check_revealed(leaf);
                ASSERT_FALSE(reveal_beyond(near_end));
                break;
            }
            default:
                count = std::min<usize>(count, 64);
                materialise(a, count);
                for (usize i = 0; i < count; ++i) ASSERT_EQ(raw_state(a + i), static_cast<State>(states[i]));
        }
        usize from = at < 20 ? 0 : at - 20;
        model.check_bytes(from, std::min<usize>(bytes - from, 60));
        model.check_pads();
        if (testing::Test::HasFatalFailure()) return;
        if (round % 256 == 0) model.check_all();
    }
    model.check_all();
    // Nothing outside the window has changed.
    EXPECT_EQ(find_first(base - kLeaf, kLeaf, 3), kLeaf);
    EXPECT_EQ(find_first(base + bytes, kLeaf, 3), kLeaf);
}

TEST_F(ShadowMap, BehavesAsModelOnSmallRanges) { run_against_model(0x4'0000'0000, 4 * kLeaf, false, 40'000, 1); }
TEST_F(ShadowMap, BehavesAsModelOnLargeRanges) { run_against_model(0x5'1234'0000, 48 * kLeaf, true, 4'000, 2); }
// The table's last entries, and leaves that are given back and taken again.
TEST_F(ShadowMap, BehavesAsModelAtTheTop) {
    run_against_model((u64{1} << kAddressBits) - 5 * kLeaf, 4 * kLeaf, false, 10'000, 3);
    reset();
    run_against_model(0x1'0000, 2 * kLeaf, false, 10'000, 4);
}

// All small ranges at all phases, because each has another mix of head, middle and tail.
TEST_F(ShadowMap, EverySmallRange) {
    Address base = 0x10'0000;
    for (unsigned before = 0; before < 4; ++before)
        for (usize start = 0; start < 9; ++start)
            for (usize count = 0; count < 120; ++count) {
                auto outside = static_cast<State>(before);
                auto inside = static_cast<State>(before ^ (1 + count % 3));
                set_range(base, 256, outside);
                set_range(base + start, count, inside);
                for (usize i = 0; i < 160; ++i)
                    ASSERT_EQ(get(base + i), i >= start && i < start + count ? inside : outside)
                        << start << " " << count << " " << i;
            }
}

// A block of many gigabytes costs no shadow until it is used, and then 4 KiB for each 16 KiB used.
TEST_F(ShadowMap, HugeRangesAreLazy) {
    Address base = 0x8'0000'1230;
    usize bytes = usize{15} << 30;
    set_range(base, bytes, State::Uninitialised);
    EXPECT_LE(leaf_count(), 2u);
    EXPECT_EQ(get(base - 1), State::Fine);
    EXPECT_EQ(get(base), State::Uninitialised);
    EXPECT_EQ(get(base + bytes / 2), State::Uninitialised);
    EXPECT_EQ(get(base + bytes), State::Fine);
    EXPECT_EQ(find_first(base, bytes, kInvalidBit), bytes);
    EXPECT_EQ(find_first(base, bytes, 1), 0u);
    // Generated code must not find it writable before it is materialised.
    EXPECT_EQ(raw_state(base + bytes / 2), State::Unaddressable);
    EXPECT_TRUE(materialise(base + bytes / 2));
    EXPECT_EQ(raw_state(base + bytes / 2), State::Uninitialised);
    EXPECT_FALSE(materialise(base + bytes / 2));
    usize before = leaf_count();
    for (usize i = 0; i < 20; ++i) set(base + (i << 28), State::Fine);
    EXPECT_LE(leaf_count(), before + 20);

    // Moved as by realloc, to another phase, it stays lazy and keeps its exceptions.
    Address other = 0x18'0000'0010;
    copy_range(other, base, bytes);
    EXPECT_LE(leaf_count(), before + 20 + 60);
    for (usize i = 0; i < 20; ++i) {
        EXPECT_EQ(get(other + (i << 28)), State::Fine);
        EXPECT_EQ(get(other + (i << 28) + 1), State::Uninitialised);
    }
    EXPECT_EQ(get(other + bytes - 1), State::Uninitialised);
    EXPECT_EQ(get(other + bytes), State::Fine);

    set_range(base, bytes, State::Freed);
    set_range(base, bytes, State::Fine);
    set_range(other, bytes, State::Fine);
    EXPECT_LE(leaf_count(), 4u);
}

// Uninitialised bytes become fine, wherever they are, in shared leaves or not; invalid memory stays as it is.
TEST_F(ShadowMap, DefineAll) {
    const Address small = 0x1'2345'6789, lazy = 0x10'0000'0000;
    for (usize i = 0; i < 400; ++i) set(small + i, static_cast<State>(i * 7 % 4));
    set_range(lazy, usize{1} << 30, State::Uninitialised);
    set_range(lazy + (usize{1} << 30), 1 << 20, State::Freed);
    set_range(lazy - (1 << 20), 1 << 20, State::Unaddressable);
    define_all();
    for (usize i = 0; i < 400; ++i) {
        const auto was = static_cast<State>(i * 7 % 4);
        EXPECT_EQ(get(small + i), was == State::Uninitialised ? State::Fine : was);
    }
    EXPECT_EQ(find_first(lazy, usize{1} << 30, 3), usize{1} << 30);
    EXPECT_EQ(get(lazy + (usize{1} << 30)), State::Freed);
    EXPECT_EQ(get(lazy - 1), State::Unaddressable);
}

// Untracked memory never takes a leaf.
TEST_F(ShadowMap, KnowsSharedLeaves) {
    const Address base = 0x6'0000'0000;
    set_range(base, 2 * kLeaf, State::Unaddressable);
    EXPECT_TRUE(is_wholly(base, State::Unaddressable));
    EXPECT_FALSE(is_wholly(base, State::Freed));
    set(base + kLeaf, State::Fine);
    EXPECT_FALSE(is_wholly(base + kLeaf, State::Unaddressable));
    EXPECT_TRUE(is_wholly(base + 2 * kLeaf, State::Fine));
}

TEST_F(ShadowMap, FineIsFree) {
    set_range(0x7000'0000, usize{1} << 30, State::Fine);
    copy_range(0x6000'0000, 0x7000'0000, 1 << 24);
    set(0x6000'0000, State::Fine);
    set_bits(0x6000'0000, 32, 0);
    EXPECT_FALSE(materialise(0x6000'0000, 1 << 20));
    EXPECT_EQ(leaf_count(), 0u);
}

}  // namespace
}  // namespace memspy::shadow
