// SPDX-License-Identifier: GPL-2.0-or-later
//
// Totals of wasted work.
#pragma once

#include "rt/base.h"

namespace memspy::waste {

enum class WasteRowKind : u8 { Dead, Silent, Load };
inline constexpr u32 kWasteRowKinds = 3;

struct WasteTotals {
    u64 stored = 0, loaded = 0;
    u64 wasted[kWasteRowKinds] = {};  // by kind
    void add(const WasteTotals& other) {
        stored += other.stored;
        loaded += other.loaded;
        for (u32 i = 0; i < kWasteRowKinds; ++i) wasted[i] += other.wasted[i];
    }
};

}  // namespace memspy::waste
