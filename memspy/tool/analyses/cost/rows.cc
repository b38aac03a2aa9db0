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
u64 places_lost = 0;

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
    places_lost = 0;
}

bool has_too_many_rows() { return all_rows->size() > most_rows; }
bool are_rows_folded() { return folded; }
u64 lost_places() { return places_lost; }

namespace {

// The most cycles of the three quarters of the rows that `is_chosen` that cost least; 0: there are none.
template <typename F>
u64 most_cycles_of_rest(const F& is_chosen) {
    rt::Vector<u64> cycles;
    for (const CostRow& row : *all_rows)
        if (is_chosen(row)) cycles.push_back(row.figures.cycles);
    if (cycles.empty()) return 0;
    u64* const last = cycles.begin() + cycles.size() / 4 * 3;
    std::nth_element(cycles.begin(), last, cycles.end());
    return *last;
}

// Makes rows of equal places one. `change`: what happens to each row's place before.
template <typename F>
void make_again(rt::Vector<u32>& numbers, const F& change) {
    rt::Vector<u32> moved;
    // In place: there are never more new rows than old ones were read.
    const CostRow* const before = all_rows->data();
    const usize count = all_rows->size();
    all_rows->resize(0);
    row_numbers->clear();
    for (usize i = 0; i < count; ++i) {
        CostRow row = before[i];
        change(row);
        const bool same =
            row.place.instruction == before[i].place.instruction && row.place.path == before[i].place.path;
        bool made = false;
        const u32 number = row_of(row.place, row.object_number, made);
        add((*all_rows)[number].figures, row.figures);
        moved.push_back(same ? number : kNoRow);
    }
    for (u32& number : numbers)
        if (number != kNoRow) number = moved[number];
}

}  // namespace

void fold_rows(rt::Vector<u32>& numbers) {
    numbers.resize(all_rows->size());
    for (u32 i = 0; i < numbers.size(); ++i) numbers[i] = i;
    const auto has_calls = [](const CostRow& row) { return row.place.path != threads::CallPath::Root; };
    const u64 most_with_calls = most_cycles_of_rest(has_calls);
    make_again(numbers, [&](CostRow& row) {
        if (row.figures.cycles <= most_with_calls) row.place.path = threads::CallPath::Root;
    });
    folded = true;
    if (all_rows->size() > most_rows / 2) {
        const u64 most = most_cycles_of_rest([](const CostRow& row) { return !is_rest(row); });
        make_again(numbers, [&](CostRow& row) {
            if (is_rest(row) || row.figures.cycles > most) return;
            row.place = {};
            ++places_lost;
        });
    }
    // There are as many objects.
    while (all_rows->size() > most_rows / 2) most_rows *= 2;
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
