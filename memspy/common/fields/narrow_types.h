// SPDX-License-Identifier: GPL-2.0-or-later
//
// Narrower types for values some of whose bytes are always zero, for advice by the tool and by memspy-report.
#pragma once

#include "rt/base.h"

namespace memspy::profile {

struct UnsignedType {
    const char* name;
    u32 bytes;
};

// The smallest of C's unsigned types with at least `bytes` bytes.
constexpr UnsignedType unsigned_type(usize bytes) {
    if (bytes <= 1) return {"uint8_t", 1};
    if (bytes <= 2) return {"uint16_t", 2};
    if (bytes <= 4) return {"uint32_t", 4};
    return {"uint64_t", 8};
}

// If so many of the lowest bytes of a double are zero, its mantissa fits into a float's 23 bits.
inline constexpr u32 kLowBytesOfFloat = 4;

}  // namespace memspy::profile
