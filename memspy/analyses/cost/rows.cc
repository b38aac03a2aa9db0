// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyses/cost/rows.h"

#include "analyses/cost/owners.h"
#include "rt/global.h"
#include "rt/hash_map.h"

namespace memspy::cost {
namespace {

rt::Global<rt::Vector<CostRow>> all_rows;
rt::Global<rt::HashMap<u32>> row_numbers;  // mixed key -> number + 1

// The rows used lately, by a hash of their key.
constexpr u32 kKnownRows = 1 << 12;
u32 known_rows[kKnownRows];

bool is_of(const CostRow& row, const places::Place& place, u32 object) {
    return row.place.instruction == place.instruction && row.place.path == place.path &&
           row.object_number == object;
}

u32 find_row(const places::Place& place, u32 object, bool& made) {
    u64 key = (place.instruction * 0x9e3779b97f4a7c15u + static_cast<u64>(place.path)) * 0xbf58476d1ce4e5b9u +
              object;
    for (;; ++key) {
        u32& number = (*row_numbers)[key];
        made = number == 0;
        if (!made && is_of((*all_rows)[number - 1], place, object)) return number - 1;
        if (!made) continue;
        CostRow row;
        row.place = place;
        row.object_number = object;
        row.object = objects()[object].object;
        all_rows->push_back(row);
        number = static_cast<u32>(all_rows->size());
        return number - 1;
    }
}

}  // namespace

u32 row_of(const places::Place& place, u32 object, bool& made) {
    const u64 hash =
        (place.instruction * 0x9e3779b97f4a7c15u ^ static_cast<u64>(place.path)) * 0xbf58476d1ce4e5b9u +
        object;
    u32& known = known_rows[hash >> 32 & (kKnownRows - 1)];
    made = false;
    if (known >= all_rows->size() || !is_of((*all_rows)[known], place, object))
        known = find_row(place, object, made);
    return known;
}

rt::Vector<CostRow>& rows() { return *all_rows; }

void forget_rows() {
    all_rows->clear();
    row_numbers->clear();
}

void charge(CostFigures& figures, const Outcome& outcome) {
    figures.cycles += outcome.cycles;
    figures.l1_misses += outcome.l1_misses;
    figures.l2_misses += outcome.l2_misses;
    figures.llc_misses += outcome.llc_misses;
    figures.tlb_misses += outcome.tlb_misses;
    figures.local += outcome.local;
    figures.remote += outcome.remote;
    figures.transfers += outcome.transfers;
}

void add(CostFigures& sum, const CostFigures& figures) {
    sum.loads += figures.loads;
    sum.stores += figures.stores;
    sum.cycles += figures.cycles;
    sum.l1_misses += figures.l1_misses;
    sum.l2_misses += figures.l2_misses;
    sum.llc_misses += figures.llc_misses;
    sum.tlb_misses += figures.tlb_misses;
    sum.local += figures.local;
    sum.remote += figures.remote;
    sum.transfers += figures.transfers;
}

void subtract(CostFigures& from, const CostFigures& figures) {
    from.loads -= figures.loads;
    from.stores -= figures.stores;
    from.cycles -= figures.cycles;
    from.l1_misses -= figures.l1_misses;
    from.l2_misses -= figures.l2_misses;
    from.llc_misses -= figures.llc_misses;
    from.tlb_misses -= figures.tlb_misses;
    from.local -= figures.local;
    from.remote -= figures.remote;
    from.transfers -= figures.transfers;
}

}  // namespace memspy::cost
