// SPDX-License-Identifier: GPL-2.0-or-later
//
// Values of up to 64 bits that are known while code is only looked at, and what VEX's operations on integers
// make of them. An operation that is not here gives a value that is not known.
#pragma once

#include "vg/vg.h"

namespace memspy::instrument {

struct KnownBits {
    bool known = false;
    u64 bits = 0;
};

inline u64 low_bits(u64 value, u32 bytes) {
    return bytes >= 8 ? value : value & ((u64{1} << (8 * bytes)) - 1);
}

KnownBits constant_bits(const IRConst& c);
KnownBits unary_bits(IROp op, KnownBits a);
KnownBits binary_bits(IROp op, KnownBits a, KnownBits b);

}  // namespace memspy::instrument
