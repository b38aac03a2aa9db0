// SPDX-License-Identifier: GPL-2.0-or-later
//
// Shares of a whole, as advice on bytes weighs them.
#pragma once

#include "rt/base.h"

namespace memspy::report {

inline constexpr u64 kMillion = 1'000'000;

// 0 if `whole` is 0.
inline u64 millionths(u64 part, u64 whole) {
    constexpr double kAll = kMillion;
    return whole == 0 ? 0 : static_cast<u64>(kAll * static_cast<double>(part) / static_cast<double>(whole));
}
// So much that the rest does not keep anybody from a change.
inline bool is_mostly(u64 part, u64 whole) {
    constexpr u64 kPercent = 90;
    return whole != 0 && part * 100 >= whole * kPercent;
}

}  // namespace memspy::report
