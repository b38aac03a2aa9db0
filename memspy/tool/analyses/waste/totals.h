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
    // Of the bytes stored, those that were loaded before they were stored again, or are unmapped; of the bytes loaded,
    // those of loads with a byte that the thread had not loaded before.
    u64 used = 0, first = 0;
    // Bytes that may be wasted: neither killed nor used until now; loaded without an earlier load. Of all threads only.
    u64 open(WasteRowKind kind) const {
        switch (kind) {
            case WasteRowKind::Dead: return stored - wasted[static_cast<u32>(WasteRowKind::Dead)] - used;
            case WasteRowKind::Silent: return 0;  // is compared with what is there
            case WasteRowKind::Load: break;
        }
        return first;
    }
    void add(const WasteTotals& other) {
        stored += other.stored;
        loaded += other.loaded;
        used += other.used;
        first += other.first;
        for (u32 i = 0; i < kWasteRowKinds; ++i) wasted[i] += other.wasted[i];
    }
};

}  // namespace memspy::waste
