// SPDX-License-Identifier: GPL-2.0-or-later
#include <algorithm>

#include "analyses/contention/sharing_draft.h"

#include "places/code.h"

namespace memspy::contention {
namespace {

// At most this many contended lines are looked at, the most contended ones. A finding has few lines. Only a
// program whose threads hand over much data has more, and its coldest lines would add little to any group.
constexpr usize kMostLines = 20'000;

// The tally has many rows; only sums of them are kept here.
void collect_objects(Draft& draft) {
    for_each_row(
        [](const SharingRow& row, void* self) {
            Draft& d = *static_cast<Draft*>(self);
            const u32 index = d.index_of(row.object);
            SharingFigures& figures = d.report.objects[index].figures;
            figures.accesses.loads += row.accesses.loads;
            figures.accesses.stores += row.accesses.stores;
            if (row.accesses.all() == 0)
                figures.uncounted += std::max(row.counts[0].events(), row.counts[1].events());
            const bool runtime = peak_of(row.counts) > 0 && places::is_runtime_code(row.place.instruction);
            ObjectMakers& made = d.makers[index];
            const bool barrier = runtime && places::is_barrier_code(row.place);
            CoherenceCounts* counts = runtime ? made.runtime : made.program;
            for (u32 view = 0; view < kViews; ++view) {
                figures.counts[view].add(row.counts[view]);
                if (!barrier) counts[view].add(row.counts[view]);
            }
        },
        &draft);
}

void collect_lines(Draft& d) {
    for_each_line(
        [](const LineRow& line, void* self) {
            if (const u64 peak = peak_of(line.counts); peak != 0)
                static_cast<Draft*>(self)->lines.push_back({line.line, peak, {}});
        },
        &d);
    std::sort(d.lines.begin(), d.lines.end(), [](const BusyLine& a, const BusyLine& b) {
        return a.peak != b.peak ? a.peak > b.peak : a.line < b.line;
    });
    if (d.lines.size() > kMostLines) {
        d.report.lines_left_out = d.lines.size() - kMostLines;
        d.lines.resize(kMostLines);
    }
}

// Memory that was reused has had several owners, which the ranges do not distinguish: the owner with most
// contention is taken. To look up the present owner is the last resort, because the program may have freed
// the memory.
Extent owner_of(Draft& d, Address a) {
    const Extent* best = nullptr;
    u64 best_peak = 0;
    for (const Extent& extent : d.known_extents) {
        if (a < extent.begin || a >= extent.end) continue;
        const u64 peak = d.report.objects[d.index_of(extent.object)].figures.peak();
        if (best != nullptr && peak <= best_peak) continue;
        best = &extent;
        best_peak = peak;
    }
    return best != nullptr ? *best : places::find_extent(a);
}

// The pairs of threads with most of an object's false sharing (with most of its contention, if true and false
// sharing are not distinguished).
void collect_pairs(Draft& draft) {
    for_each_pair(
        [](const PairRow& row, void* self) {
            Draft& d = *static_cast<Draft*>(self);
            const u64* counts = d.report.settings.sharing ? row.false_events : row.events;
            const ObjectPairs::ThreadPair pair{row.other, peak_of(counts)};
            const u32* number = d.report.object_numbers.find(static_cast<u32>(row.object));
            if (number == nullptr || pair.events == 0 || pair.other == 0) return;
            ObjectPairs& pairs = d.object_pairs[*number - 1];
            pairs.all += pair.events;
            u32 place = 0;
            while (place < pairs.count && pairs.most[place].other != pair.other) ++place;
            if (place < pairs.count) {
                pairs.most[place].events += pair.events;
            } else {
                if (place == kPairsOfObject) --place;
                if (pairs.most[place].events >= pair.events) return;
                pairs.most[place] = pair;
                pairs.count = std::max(pairs.count, place + 1);
            }
            for (; place > 0 && pairs.most[place].events > pairs.most[place - 1].events; --place)
                std::swap(pairs.most[place], pairs.most[place - 1]);
        },
        &draft);
}

}  // namespace

u32 Draft::index_of(ObjectId id) {
    u32& number = report.object_numbers[static_cast<u32>(id)];
    if (number == 0) {
        report.objects.push_back({.id = id});
        makers.push_back({});
        object_pairs.push_back({});
        number = static_cast<u32>(report.objects.size());
    }
    return number - 1;
}

void read_ranges(Draft& d, u64 line, rt::Vector<ReportRange>& ranges) {
    const LineRow* row = find_line(line);
    if (row == nullptr || row->ranges == nullptr) return;
    const usize first = ranges.size();
    for (const RangeRow& range : *row->ranges)
        ranges.push_back({.thread = range.thread,
                          .first = range.first,
                          .bytes = range.bytes,
                          .accesses = range.accesses,
                          .stored_first = range.stored_first,
                          .sums = range.sums,
                          .sums_told = range.sums_told});
    std::sort(ranges.begin() + first, ranges.end(), [](const ReportRange& a, const ReportRange& b) {
        if (a.first != b.first) return a.first < b.first;
        return a.thread != b.thread ? a.thread < b.thread : a.bytes < b.bytes;
    });
    d.known_extents.resize(0);
    const Address base = line * d.report.settings.line_bytes;
    places::for_each_known_extent(
        base, base + d.report.settings.line_bytes,
        [](const Extent& extent, void* list) { static_cast<rt::Vector<Extent>*>(list)->push_back(extent); },
        &d.known_extents);
    for (usize i = first; i < ranges.size(); ++i) {
        ReportRange& range = ranges[i];
        const Extent extent = owner_of(d, base + range.first);
        range.object = extent.object;
        range.start = extent.start;
        range.offset = base + range.first - extent.start;
    }
}

void collect(Draft& d) {
    collect_objects(d);
    collect_lines(d);
    collect_pairs(d);
}

}  // namespace memspy::contention
