// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyses/cost/rows.h"

#include <algorithm>

#include "analyses/cost/owners.h"
#include "rt/global.h"
#include "rt/hash_map.h"

namespace memspy::cost {
namespace {

rt::Global<rt::Vector<CostRow>> all_rows;
rt::Global<rt::HashMap<u32>> row_numbers;  // mixed key -> number + 1

// The rows used lately, by a hash of their key.
constexpr u32 kKnownRows = 1 << 14;
u32 known_rows[kKnownRows];

constexpr usize kFirstMost = 100'000;
usize most_rows = kFirstMost;
bool folded = false;

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
    most_rows = kFirstMost;
    folded = false;
}

bool has_too_many_rows() { return all_rows->size() > most_rows; }
bool are_rows_folded() { return folded; }

void fold_rows() {
    rt::Vector<u64> cycles;
    for (const CostRow& row : *all_rows)
        if (row.place.path != threads::CallPath::Root) cycles.push_back(row.figures.cycles);
    if (cycles.size() == 0) return;
    u64* const middle = cycles.begin() + cycles.size() / 2;
    std::nth_element(cycles.begin(), middle, cycles.end());
    const u64 most = *middle;
    static rt::Global<rt::Vector<CostRow>> before;
    before->resize(0);
    for (const CostRow& row : *all_rows) before->push_back(row);
    all_rows->resize(0);
    row_numbers->clear();
    for (const CostRow& row : *before) {
        places::Place place = row.place;
        if (row.figures.cycles <= most) place.path = threads::CallPath::Root;
        bool made = false;
        add((*all_rows)[row_of(place, row.object_number, made)].figures, row.figures);
    }
    folded = true;
    // Instructions alone may be many.
    while (all_rows->size() > most_rows / 4 * 3) most_rows *= 2;
}

// The figures that an access may add to, with those of an outcome or another sum.
template <typename From, typename F>
static void for_each_effect(CostFigures& figures, const From& from, F f) {
    f(figures.cycles, from.cycles);
    f(figures.l1_misses, from.l1_misses);
    f(figures.l2_misses, from.l2_misses);
    f(figures.llc_misses, from.llc_misses);
    f(figures.tlb_misses, from.tlb_misses);
    f(figures.local, from.local);
    f(figures.remote, from.remote);
    f(figures.transfers, from.transfers);
}

void charge(CostFigures& figures, const Outcome& outcome) {
    for_each_effect(figures, outcome, [](u64& to, u64 more) { to += more; });
}

void add(CostFigures& sum, const CostFigures& figures) {
    sum.loads += figures.loads;
    sum.stores += figures.stores;
    for_each_effect(sum, figures, [](u64& to, u64 more) { to += more; });
}

void subtract(CostFigures& from, const CostFigures& figures) {
    from.loads -= figures.loads;
    from.stores -= figures.stores;
    for_each_effect(from, figures, [](u64& to, u64 less) { to -= less; });
}

}  // namespace memspy::cost
