// SPDX-License-Identifier: GPL-2.0-or-later
//
// Shares as people read them, alike in the tool's summaries and in memspy-report.
#pragma once

#include "rt/base.h"

namespace memspy::rt {

// part * scale / whole, rounded down; 0 if `whole` is 0.
inline u64 scaled(u64 part, u64 whole, u64 scale) {
    while (part > ~u64{0} / scale) {
        part >>= 1;
        whole >>= 1;
    }
    return whole == 0 ? 0 : part * scale / whole;
}

// Tenths of a percent, rounded, but up to 1000 for the whole only.
inline u64 tenths_of_percent(u64 part, u64 whole) {
    const u64 rounded = (scaled(part, whole, 10'000) + 5) / 10;
    return rounded == 1000 && part < whole ? 999 : rounded;
}

}  // namespace memspy::rt
