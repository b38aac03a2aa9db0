// SPDX-License-Identifier: GPL-2.0-or-later
//
// Emits the update of a site's counters (zero_layout.h) by one loaded value. No branch and no call: a helper that
// counted values later, from a buffer, took seven times as long for vectors of doubles.
#pragma once

#include "instrument/core/emitter.h"
#include "instrument/zeros/element.h"

namespace memspy::instrument {

struct SiteCounters {
    ValueType type;
    IRExpr* base = nullptr;  // null: there is no space for them
    u64 offset = 0;
};

class ValueCounter {
public:
    // guard: whether the value was loaded; null: always.
    ValueCounter(Emitter& emit, const SiteCounters& place, IRExpr* guard)
        : emit_(emit), place_(place), guard_(guard) {}

    static constexpr u32 kWord = 8;  // longer values come in words of this size, from low to high
    void count(IRExpr* const* words);

private:
    void count_integer(IRExpr* value);
    void count_bytes(IRExpr* const* words, u32 count);
    void count_shorts(IRExpr* const* words, u32 count);
    void count_floats(IRExpr* word, u32 lanes);
    void count_double(IRExpr* word);

    IRExpr* counter(IRExpr* index, u64 first);
    void add(IRExpr* number, IRExpr* index, u64 first);  // to counter number first + index
    void add_one(IRExpr* index, u64 first);
    void add(IRExpr* number, u64 counter) { add(number, nullptr, counter); }
    IRExpr* sum_of_bytes(IRExpr* word);
    IRExpr* if_loaded(IRExpr* number);
    IRExpr* flag(IRExpr* condition) { return emit_.unop(Iop_1Uto64, condition); }
    IRExpr* shifted(IROp op, IRExpr* value, u32 bits) {
        return bits == 0 ? value : emit_.binop(op, value, Emitter::u8c(static_cast<u8>(bits)));
    }
    IRExpr* up(IRExpr* value, u32 bits) { return shifted(Iop_Shl64, value, bits); }
    IRExpr* down(IRExpr* value, u32 bits) { return shifted(Iop_Shr64, value, bits); }
    IRExpr* masked(IRExpr* value, u64 mask) { return emit_.binop(Iop_And64, value, Emitter::u64c(mask)); }

    Emitter& emit_;
    const SiteCounters& place_;
    IRExpr* const guard_;
};

}  // namespace memspy::instrument
