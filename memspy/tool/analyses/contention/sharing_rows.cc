// SPDX-License-Identifier: GPL-2.0-or-later

#include "analyses/contention/sharing_rows.h"

#include <algorithm>

#include "places/code.h"

namespace memspy::contention {
namespace {

constexpr u32 kRowsOfGroup = 8, kPairsOfGroup = 8;

// The most contended rows and pairs of each group with details. `most` is small, so insertion sort is enough.
template <typename Item>
void keep_most(rt::Vector<Item>& items, u32* count, usize first, u32 most, const Item& item, auto&& before) {
    u32 place = *count;
    while (place > 0 && before(item, items[first + place - 1])) --place;
    if (place == most) return;
    if (*count < most) ++*count;
    for (u32 i = *count - 1; i > place; --i) items[first + i] = items[first + i - 1];
    items[first + place] = item;
}

bool row_before(const SharingRow& a, const SharingRow& b) {
    if (peak_of(a.counts) != peak_of(b.counts)) return peak_of(a.counts) > peak_of(b.counts);
    if (a.accesses.all() != b.accesses.all()) return a.accesses.all() > b.accesses.all();
    if (a.thread != b.thread) return a.thread < b.thread;
    if (a.place != b.place) return places::place_before(a.place, b.place);
    return object_before(a.object, b.object);
}

bool pair_before(const PairRow& a, const PairRow& b) {
    if (peak_of(a.events) != peak_of(b.events)) return peak_of(a.events) > peak_of(b.events);
    if (a.thread != b.thread) return a.thread < b.thread;
    return a.other != b.other ? a.other < b.other : a.object < b.object;
}

bool stores(const SharingRow& row) { return row.accesses.stores > 0; }

// Among the rows that `takes` accepts (sorted by place): the row to be shown of the leading place, which is
// one that stores if possible.
const SharingRow* leading_row(const SharingRow* begin, const SharingRow* end, auto&& takes) {
    u64 most = 0;
    const SharingRow* lead = nullptr;
    for (const bool choose : {false, true}) {
        for (const SharingRow* first = begin; first != end;) {
            u64 events = 0;
            const SharingRow* best = nullptr;
            const SharingRow* row = first;
            for (; row != end && row->place == first->place; ++row) {
                if (!takes(*row)) continue;
                events += peak_of(row->counts);
                if (best == nullptr || row_before(*row, *best)) best = row;
            }
            first = row;
            if (!choose)
                most = std::max(most, events);
            else if (best != nullptr && events * 5 >= most * 2 &&
                     (lead == nullptr || (stores(*best) && !stores(*lead))))
                lead = best;
        }
    }
    return lead;
}

}  // namespace

void place_rows(SharingReport& report) {
    struct Taken {
        SharingReport* report;
        u32 groups;
        rt::Vector<SharingRow> rows;
        rt::Vector<PairRow> pairs;
        rt::Vector<u32> row_counts, pair_counts;
    };
    Taken taken;
    taken.report = &report;
    taken.groups = std::min(report.settings.detailed, static_cast<u32>(report.groups.size()));
    taken.rows.resize(usize{taken.groups} * kRowsOfGroup);
    taken.pairs.resize(usize{taken.groups} * kPairsOfGroup);
    taken.row_counts.resize(taken.groups);
    taken.pair_counts.resize(taken.groups);
    for_each_row(
        [](const SharingRow& row, void* argument) {
            Taken& all = *static_cast<Taken*>(argument);
            const u32 group = all.report->group_of(row.object);
            if (group >= all.groups) return;
            keep_most(all.rows, &all.row_counts[group], usize{group} * kRowsOfGroup, kRowsOfGroup, row,
                      row_before);
        },
        &taken);
    for_each_pair(
        [](const PairRow& pair, void* argument) {
            Taken& all = *static_cast<Taken*>(argument);
            const u32 group = all.report->group_of(pair.object);
            if (group >= all.groups || pair.other == 0) return;
            keep_most(all.pairs, &all.pair_counts[group], usize{group} * kPairsOfGroup, kPairsOfGroup, pair,
                      pair_before);
        },
        &taken);
    for (u32 i = 0; i < taken.groups; ++i) {
        ReportGroup& group = report.groups[i];
        group.rows.begin = static_cast<u32>(report.rows.size());
        for (u32 k = 0; k < taken.row_counts[i]; ++k)
            report.rows.push_back(taken.rows[usize{i} * kRowsOfGroup + k]);
        group.rows.end = static_cast<u32>(report.rows.size());
        group.pairs.begin = static_cast<u32>(report.pairs.size());
        for (u32 k = 0; k < taken.pair_counts[i]; ++k)
            report.pairs.push_back(taken.pairs[usize{i} * kPairsOfGroup + k]);
        group.pairs.end = static_cast<u32>(report.pairs.size());
    }
}

// A finding shows one stack for each side, and a suppression made from one run must match in the next one.
// Counts differ a little from run to run. So of the places with at least two fifths of the events of the
// first, the one that comes first in its module is taken. (Half is common: a load and a store have together
// what an update has alone.) Loads do not collide with each other, so one side must store.
void choose_sides(SharingReport& report) {
    struct Chosen {
        SharingReport* report;
        u32 groups;
        rt::Vector<SharingRow> rows;
    };
    Chosen chosen{&report, 0, {}};
    while (chosen.groups < std::min<usize>(report.settings.detailed, report.findings)) ++chosen.groups;
    for_each_row(
        [](const SharingRow& row, void* argument) {
            Chosen& all = *static_cast<Chosen*>(argument);
            const u32 group = all.report->group_of(row.object);
            if (group >= all.groups || row.place.instruction == 0) return;  // system calls have no stack
            // There may be very many rows, but few take part in the contention.
            if (peak_of(row.counts) == 0 ||
                peak_of(row.counts) < all.report->groups[group].figures.peak() / 10'000)
                return;
            all.rows.push_back(row);
        },
        &chosen);
    std::sort(chosen.rows.begin(), chosen.rows.end(), [&report](const SharingRow& a, const SharingRow& b) {
        const u32 left = report.group_of(a.object), right = report.group_of(b.object);
        if (left != right) return left < right;
        return a.place != b.place ? places::place_before(a.place, b.place) : row_before(a, b);
    });
    const SharingRow* const end = chosen.rows.end();
    for (const SharingRow* first = chosen.rows.begin(); first != end;) {
        const u32 number = report.group_of(first->object);
        const SharingRow* last = first;
        while (last != end && report.group_of(last->object) == number) ++last;
        ReportGroup& group = report.groups[number];
        if (const SharingRow* lead = leading_row(first, last, [](const SharingRow&) { return true; })) {
            group.sides[0] = static_cast<u32>(report.rows.size());
            report.rows.push_back(*lead);
            // The thread that the first one collides with most often, if that is known.
            u32 met = 0;
            for (u32 i = group.pairs.begin; i < group.pairs.end && met == 0; ++i)
                if (report.pairs[i].thread == lead->thread) met = report.pairs[i].other;
            const auto meets = [lead](const SharingRow& row) { return stores(row) || stores(*lead); };
            const SharingRow* other = leading_row(
                first, last, [&](const SharingRow& row) { return row.thread == met && meets(row); });
            if (other == nullptr)
                other = leading_row(first, last, [&](const SharingRow& row) {
                    return row.thread != lead->thread && meets(row);
                });
            if (other != nullptr) {
                group.sides[1] = static_cast<u32>(report.rows.size());
                report.rows.push_back(*other);
            }
        }
        first = last;
    }
}

}  // namespace memspy::contention
