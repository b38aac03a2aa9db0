// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyses/contention/lock_array.h"

#include <algorithm>
#include <numeric>

namespace memspy::contention {
namespace {

constexpr usize kFewest = 3;  // two locks may be members of one structure
constexpr u64 kLeastShare = 10;

struct ArrayLock {
    Address word = 0, start = 0;  // `start`: of the block or variable
    ObjectId object{};
};

// Of locks in one block, in the order of their addresses.
LockArray array_of(const ArrayLock* locks, usize count, u64 line_bytes) {
    if (count < kFewest) return {};
    u64 stride = 0, least = ~u64{0};
    for (usize i = 1; i < count; ++i) {
        const u64 distance = locks[i].word - locks[i - 1].word;
        stride = std::gcd(stride, distance);
        least = std::min(least, distance);
    }
    // Locks that are members of structures have a common divisor of their distances, too, but no neighbours
    // so near.
    const bool has_lines = stride % line_bytes == 0 && locks[0].start % line_bytes == 0;
    if (stride != least || has_lines) return {};
    return {locks[0].object, locks[0].word - locks[0].start, stride};
}

u64 events_of_lines(const SharingReport& report, const ReportGroup& group) {
    u64 events = 0;
    for (u32 i = group.lines.begin; i < group.lines.end; ++i) {
        const CoherenceCounts& counts = report.lines[i].figures.in(group.figures.leading());
        events += counts.true_events() + counts.false_events();
    }
    return events;
}

const u64* turns_of(const SharingReport& report, Address word) {
    return report.settings.turns_of_lock == nullptr ? nullptr : report.settings.turns_of_lock(word);
}

// The events that remain in these lines if each lock has a line of its own: a miss and an invalidation
// whenever another thread takes it than the one before. Where that was not counted turns are taken to be
// random: who takes the lock stores twice, and as many of a thread's turns come after another's as the other
// threads have of all turns.
u64 events_of_turns(const SharingReport& report, const ReportGroup& group, const LockArray& array) {
    u64 events = 0;
    for (u32 i = group.lines.begin; i < group.lines.end; ++i) {
        const ReportLine& line = report.lines[i];
        const auto is_lock = [&](const ReportRange& range) {
            return range.object == array.object && range.accesses.stores != 0 &&
                   range.offset % array.stride == array.offset % array.stride;
        };
        for (u32 k = line.ranges.begin; k < line.ranges.end;) {
            const u16 first = report.ranges[k].first;
            u64 all = 0;
            const u32 begin = k;
            for (; k < line.ranges.end && report.ranges[k].first == first; ++k)
                if (is_lock(report.ranges[k])) all += report.ranges[k].accesses.stores;
            const Address word = report.ranges[begin].start + report.ranges[begin].offset;
            if (const u64* const turns = all == 0 ? nullptr : turns_of(report, word); turns != nullptr) {
                events += 2 * *turns;
                continue;
            }
            for (u32 one = begin; all != 0 && one < k; ++one)
                if (const u64 own = report.ranges[one].accesses.stores; is_lock(report.ranges[one]))
                    events += scaled(own, all - own, all);
        }
    }
    return events;
}

void collect_waited(rt::Vector<ArrayLock>& locks, SharingReport& report, u32 number) {
    if (report.settings.waits == nullptr) return;
    for (const replay::WaitRow& row : report.settings.waits->rows())
        if (row.kind == replay::WaitKind::Lock && row.word != 0 && report.group_of(row.object) == number)
            locks.push_back({row.word, row.word - row.offset, row.object});
}

void collect_known(rt::Vector<ArrayLock>& locks, const SharingReport& report, u32 number) {
    const ReportGroup& group = report.groups[number];
    for (u32 i = group.lines.begin; i < group.lines.end; ++i) {
        const ReportLine& line = report.lines[i];
        for (u32 k = line.ranges.begin; k < line.ranges.end; ++k) {
            const ReportRange& range = report.ranges[k];
            const Address word = range.start + range.offset;
            if (range.group == number && range.accesses.stores != 0 && turns_of(report, word) != nullptr)
                locks.push_back({word, range.start, range.object});
        }
    }
}

}  // namespace

LockArray lock_array_of(SharingReport& report, u32 number) {
    const ReportGroup& group = report.groups[number];
    rt::Vector<ArrayLock> locks;
    collect_waited(locks, report, number);
    collect_known(locks, report, number);
    std::sort(locks.begin(), locks.end(),
              [](const ArrayLock& a, const ArrayLock& b) { return a.word < b.word; });
    const auto end = std::unique(locks.begin(), locks.end(),
                                 [](const ArrayLock& a, const ArrayLock& b) { return a.word == b.word; });
    locks.resize(static_cast<usize>(end - locks.begin()));
    LockArray found;
    for (usize from = 0, most = 0; from < locks.size();) {
        usize to = from;
        while (to < locks.size() && locks[to].start == locks[from].start) ++to;
        const LockArray array = array_of(&locks[from], to - from, report.settings.line_bytes);
        if (array.stride != 0 && to - from > most) {
            most = to - from;
            found = array;
        }
        from = to;
    }
    if (found.stride == 0) return {};
    const CoherenceCounts& counts = kinds_counted(group);
    const u64 all = counts.true_events() + counts.false_events();
    found.removable = counts.removable();
    // Larger elements have lines beside that of the lock.
    if (const u64 events = events_of_lines(report, group);
        found.stride <= report.settings.line_bytes && events != 0)
        found.removable =
            scaled(all, events - std::min(events, events_of_turns(report, group, found)), events);
    return found.removable * kLeastShare < all ? LockArray{} : found;
}

}  // namespace memspy::contention
