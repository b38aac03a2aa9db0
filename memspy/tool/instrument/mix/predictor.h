// SPDX-License-Identifier: GPL-2.0-or-later
//
// The modelled branch predictor: gshare (McFarling, Combining Branch Predictors, WRL TN-36, 1993), a
// two-level predictor. The directions of the last branches, exclusive-or the branch's address, choose one of
// 4096 counters of two bits, which predicts "taken" from 2 on. A thread has its own. No Valgrind here:
// generated code does what `outcome` does.
#pragma once

#include "rt/base.h"

namespace memspy::instrument {

inline constexpr u32 kHistoryBits = 12;
inline constexpr u32 kPredictorCounters = u32{1} << kHistoryBits;

struct Predictor {
    u64 history;  // the last branch in bit 0; only kHistoryBits bits matter
    u8 counters[kPredictorCounters];
};

// The counters' next values by twice (direction, counter): packed, two bits each.
constexpr u32 packed_next_counters() {
    u32 packed = 0;
    for (u32 taken = 0; taken < 2; ++taken)
        for (u32 counter = 0; counter < 4; ++counter) {
            const u32 next = taken != 0 ? (counter < 3 ? counter + 1 : 3) : (counter > 0 ? counter - 1 : 0);
            packed |= next << 2 * (taken * 4 + counter);
        }
    return packed;
}

// Of the address, what chooses the counter. Instructions of ARM64 are at multiples of four.
constexpr u32 predictor_bits(Address branch) {
#if defined(__aarch64__)
    branch >>= 2;
#endif
    return static_cast<u32>(branch) & (kPredictorCounters - 1);
}

// Whether the branch was predicted wrongly.
inline bool mispredicts(Predictor& predictor, Address branch, bool taken) {
    u8& counter = predictor.counters[(predictor.history ^ predictor_bits(branch)) & (kPredictorCounters - 1)];
    const bool wrong = (counter >> 1 != 0) != taken;
    counter = packed_next_counters() >> 2 * ((taken ? 4u : 0u) + counter) & 3;
    predictor.history = predictor.history << 1 | (taken ? 1 : 0);
    return wrong;
}

}  // namespace memspy::instrument
