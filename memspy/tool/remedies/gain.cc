// SPDX-License-Identifier: GPL-2.0-or-later
#include "remedies/gain.h"

#include <algorithm>

#include "remedies/changed_layout.h"

namespace memspy::remedies {
namespace {

using lines::Time;

// Events of one suspect in the group.
struct SuspectShare {
    u32 suspect = 0;
    u64 all = 0, falsely = 0, removed = 0;
    u64 everywhere = 0;  // all events of the suspect, in other groups too
};
using SuspectShares = rt::Vector<SuspectShare>;

SuspectShare* find(SuspectShares& shares, u32 suspect) {
    return std::find_if(shares.begin(), shares.end(),
                        [suspect](const SuspectShare& share) { return share.suspect == suspect; });
}

void collect(SuspectShares& shares, const AdviceCase& c) {
    for (u32 i = c.group.objects.begin; i < c.group.objects.end; ++i) {
        const ReportObject& object = c.report.objects[i];
        const u32 suspect = c.report.settings.suspect_of(object.id);
        if (suspect == replay::WhatIf::kNoSuspect) continue;
        SuspectShare* share = find(shares, suspect);
        if (share == shares.end()) {
            shares.push_back({.suspect = suspect});
            share = &shares.back();
        }
        const CoherenceCounts& counts = object.figures.in(c.group.figures.leading());
        share->all += counts.true_events() + counts.false_events();
        share->falsely += counts.removable();
    }
    for (const ReportObject& object : c.report.objects) {
        SuspectShare* const share = find(shares, c.report.settings.suspect_of(object.id));
        if (share == shares.end()) continue;
        const CoherenceCounts& counts = object.figures.in(c.group.figures.leading());
        share->everywhere += counts.true_events() + counts.false_events();
    }
}

// The group's part of what the run saves without them.
Time saved_by(const SuspectShare& share, Time full, Time without) {
    const u64 all = std::max(share.everywhere, share.all);
    return all == 0 ? 0 : scaled(full - std::min(full, without), share.all, all);
}

// Of which suspect is the object that is stored to most in the line; kNoSuspect: of none.
u32 suspect_of_line(const AdviceCase& c, const ReportLine& line) {
    u64 most = 0;
    ObjectId stored{};
    for (u32 i = line.ranges.begin; i < line.ranges.end; ++i) {
        const ReportRange& range = c.report.ranges[i];
        if (c.report.groups.data() + range.group != &c.group || range.accesses.stores <= most) continue;
        most = range.accesses.stores;
        stored = range.object;
    }
    return stored == ObjectId::None ? replay::WhatIf::kNoSuspect : c.report.settings.suspect_of(stored);
}

// What the change removes of each share's events, as far as stays tell; all in proportion where they do not.
void share_out(SuspectShares& shares, const AdviceCase& c) {
    u64 known = 0;
    const ChangedLayout layout(c);
    for (u32 i = c.group.lines.begin; shares.size() > 1 && i < c.group.lines.end; ++i) {
        SuspectShare* const share = find(shares, suspect_of_line(c, c.report.lines[i]));
        if (share == shares.end()) continue;
        const u64 removed = replay(c, layout, {i, i + 1}).removed();
        share->removed += removed;
        known += removed;
    }
    if (known != 0) return;
    for (SuspectShare& share : shares) share.removed = share.all;
}

u32 threads_of(const AdviceCase& c) {
    rt::Vector<u32> threads;
    for (u32 i = c.group.lines.begin; i < c.group.lines.end; ++i) {
        const Slice ranges = c.report.lines[i].ranges;
        for (u32 k = ranges.begin; k < ranges.end; ++k) {
            const ReportRange& range = c.report.ranges[k];
            if (c.report.groups.data() + range.group == &c.group && range.accesses.stores != 0 &&
                std::find(threads.begin(), threads.end(), range.thread) == threads.end())
                threads.push_back(range.thread);
        }
    }
    return static_cast<u32>(threads.size());
}

// A copy for each thread has to be put together in the end: one thread fetches each line of each copy, and goes
// through the elements.
Time put_together(const AdviceCase& c) {
    const bool has_copies =
        std::any_of(c.plan.advice.begin(), c.plan.advice.end(), [](const advice::Advice& each) {
            return each.remedy == advice::Remedy::CopyTable || each.remedy == advice::Remedy::CopyCounter;
        });
    if (!has_copies) return 0;
    constexpr u64 kInstructions = 6;  // for an element, as compilers make such a loop without vectors
    const ChangedLayout layout(c);
    u64 lines = 0, elements = 0;
    for (u32 i = c.group.lines.begin; i < c.group.lines.end; ++i) {
        const ReportLine& line = c.report.lines[i];
        u64 here = 0;
        for (const UsedPart& part : c.parts) {
            if (part.line != line.line || layout.place_of(part, part.begin) != ChangedLayout::kCopied)
                continue;
            here += part.bytes() / (part.width != 0 && part.width < part.bytes() ? part.width : part.bytes());
        }
        lines += here != 0 ? line.stands_for : 0;
        elements += here * line.stands_for;
    }
    return threads_of(c) * (lines * c.report.settings.end.price + elements * kInstructions);
}

u64 part_of(u64 count, u64 part, u64 whole) { return whole == 0 ? 0 : scaled(count, part, whole); }

struct Removal {
    u64 all = 0, falsely = 0, removed = 0;
};
// `any`: what the run saves without all of these events; `of_false`: without the false ones.
Time saved_by(const Removal& events, Time any, Time of_false) {
    if (of_false == 0 || events.falsely == 0) return part_of(any, events.removed, events.all);
    if (events.removed <= events.falsely) return scaled(of_false, events.removed, events.falsely);
    return of_false + part_of(any - std::min(any, of_false), events.removed - events.falsely,
                              events.all - events.falsely);
}

Time saved_by(const SuspectShares& shares, const Removal& events, const replay::WhatIf::EndTimes& ends,
              bool has_false) {
    SuspectShare sum;
    for (const SuspectShare& share : shares) {
        sum.all += share.all;
        sum.falsely += share.falsely;
        sum.removed += share.removed;
    }
    Time saved = 0;
    for (const SuspectShare& share : shares) {
        const u64 all = part_of(events.all, share.all, sum.all);
        const Removal its{.all = all,
                          .falsely = std::min(all, part_of(events.falsely, share.falsely, sum.falsely)),
                          .removed = std::min(all, part_of(events.removed, share.removed, sum.removed))};
        saved += saved_by(its, saved_by(share, ends.full, ends.without_any[share.suspect]),
                          has_false ? saved_by(share, ends.full, ends.without[share.suspect]) : 0);
    }
    return saved;
}

bool takes_turns(const AdviceCase& c) {
    return std::any_of(c.plan.advice.begin(), c.plan.advice.end(), [](const advice::Advice& each) {
        return each.remedy == advice::Remedy::SynchroniseLess;
    });
}

// Suspects that delay different threads save nothing one by one. But the replay has the run's ends without all
// events, which tell what a change brings that removes nine tenths of these.
bool are_nearly_all(const AdviceCase& c, u64 removed) {
    return removed * 10 >= contended(c.report.totals[static_cast<u32>(c.group.figures.leading())]) * 9;
}

}  // namespace

void set_end(const AdviceCase& c, ReportGroup& group) {
    group.has_gain = group.removable != 0 || takes_turns(c);
    if (!group.has_gain || group.end_without_any == 0) return;
    const order::VirtualEnd& end = c.report.settings.end;
    const Time full = end.costly.full;
    const CoherenceCounts& counts = kinds_counted(group);
    Removal events{.all = counts.events(), .falsely = counts.removable()};
    if (events.all == 0) return;
    events.removed = group.removable == 0 ? contended(counts) : group.removable;
    // First touches take time, too.
    if (group.removable != 0) {
        const LeftEvents left = replay(c, ChangedLayout(c));
        if (left.known()) events.removed += counts.first_touches - left.first_touches(counts.first_touches);
    }
    events.removed = std::min(events.removed, events.all);
    SuspectShares shares;
    collect(shares, c);
    share_out(shares, c);
    // Arrays of locks are apart: what is false there lies on the ways that nobody waits for.
    const bool has_false = group.end_without != 0 && !group.lock_array.any();
    const Time saved =
        shares.size() > 1 && are_nearly_all(c, events.removed)
            ? saved_by(events, full - std::min(full, end.end), has_false ? full - end.costly.without_all : 0)
            : saved_by(shares, events, end.costly, has_false);
    // Without any event of the group; with --coherence-latency all times have those of the others.
    const Time least = std::min(end.end, group.end_without_any);
    group.end_without = std::min(full, std::max(least, full - std::min(full, saved)) + put_together(c));
}

}  // namespace memspy::remedies
