// SPDX-License-Identifier: GPL-2.0-or-later
//
// Eight bytes at once, as masks with 0xff for each byte that is meant; the lowest byte has the lowest
// address.
#pragma once

#include "shadow/state.h"

namespace memspy::shadow {

inline constexpr u64 kOneInEach = 0x0101'0101'0101'0101u;

// The first `count` <= 8 bytes.
constexpr u64 first_bytes(u64 count) { return count >= 8 ? ~u64{0} : (u64{1} << 8 * count) - 1; }

constexpr u64 nonzero_bytes(u64 bytes) {
    bytes |= bytes >> 4;
    bytes |= bytes >> 2;
    bytes |= bytes >> 1;
    return (bytes & kOneInEach) * 0xff;
}

// A state in each byte, of those in the lowest sixteen bits (two bits each).
constexpr u64 one_state_each(u64 states) {
    u64 each = states & 0xffff;
    each = (each | each << 24) & 0x0000'00ff'0000'00ffu;
    each = (each | each << 12) & 0x000f'000f'000f'000fu;
    return (each | each << 6) & 0x0303'0303'0303'0303u;
}
constexpr u64 bytes_with(u64 states, State state) {
    return ~nonzero_bytes(one_state_each(states) ^ kOneInEach * static_cast<u8>(state));
}
constexpr u64 invalid_bytes(u64 states) {
    return nonzero_bytes(one_state_each(states) & kOneInEach * kInvalidBit);
}

// The reverse: Uninitialised for the bytes of the mask, Fine for the others.
constexpr u64 uninitialised_states(u64 mask) {
    u64 each = mask & kOneInEach;
    each = (each | each >> 6) & 0x000f'000f'000f'000fu;
    each = (each | each >> 12) & 0x0000'00ff'0000'00ffu;
    return (each | each >> 24) & 0xffff;
}

// A bit for each byte of the mask.
constexpr u8 one_bit_each(u64 mask) {
    return static_cast<u8>((mask & kOneInEach) * 0x0102'0408'1020'4080u >> 56);
}

}  // namespace memspy::shadow
