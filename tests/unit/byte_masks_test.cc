// SPDX-License-Identifier: GPL-2.0-or-later
//
// Masks of eight bytes: every combination of eight states, and random bytes, against one byte at a time.
#include "shadow/byte_masks.h"

#include <gtest/gtest.h>

#include <random>

namespace memspy::shadow {
namespace {

TEST(ByteMasks, EveryEightStates) {
    for (u64 states = 0; states < 1 << 16; ++states)
        for (unsigned state = 0; state < 4; ++state) {
            u64 wanted = 0;
            for (unsigned i = 0; i < 8; ++i)
                if ((states >> 2 * i & 3) == state) wanted |= u64{0xff} << 8 * i;
            // What stands above the eight states does not matter.
            ASSERT_EQ(bytes_with(states | 0x1234'5678'9abc'0000u, static_cast<State>(state)), wanted)
                << states;
        }
}

TEST(ByteMasks, InvalidAreFreedAndUnaddressableOnes) {
    for (u64 states = 0; states < 1 << 16; ++states)
        ASSERT_EQ(invalid_bytes(states),
                  bytes_with(states, State::Freed) | bytes_with(states, State::Unaddressable));
}

TEST(ByteMasks, EveryMask) {
    for (unsigned bytes = 0; bytes < 1 << 8; ++bytes) {
        u64 mask = 0, states = 0;
        for (unsigned i = 0; i < 8; ++i)
            if ((bytes >> i & 1) != 0) {
                mask |= u64{0xff} << 8 * i;
                states |= u64{1} << 2 * i;
            }
        ASSERT_EQ(one_bit_each(mask), bytes);
        ASSERT_EQ(uninitialised_states(mask), states);
    }
}

TEST(ByteMasks, NonzeroBytes) {
    std::mt19937_64 random(1);
    for (int round = 0; round < 100'000; ++round) {
        u64 bytes = random() & random() & random(), wanted = 0;
        for (unsigned i = 0; i < 8; ++i) {
            if (random() % 3 == 0) bytes &= ~(u64{0xff} << 8 * i);
            if ((bytes >> 8 * i & 0xff) != 0) wanted |= u64{0xff} << 8 * i;
        }
        ASSERT_EQ(nonzero_bytes(bytes), wanted) << std::hex << bytes;
    }
}

}  // namespace
}  // namespace memspy::shadow
