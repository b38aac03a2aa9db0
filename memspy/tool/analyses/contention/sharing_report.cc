// SPDX-License-Identifier: GPL-2.0-or-later

#include "analyses/contention/sharing_report.h"

#include <algorithm>

#include "analyses/contention/advice.h"
#include "analyses/contention/awaited.h"
#include "analyses/contention/lock_array.h"
#include "analyses/contention/sharing_draft.h"
#include "analyses/contention/sharing_rows.h"

namespace memspy::contention {
namespace {

// Names, kinds and advice. The kind is that of most events, as the rows show them; but a lock's words are
// true sharing.
void judge(SharingReport& report) {
    for (u32 i = 0; i < report.groups.size(); ++i) {
        ReportGroup& group = report.groups[i];
        const CoherenceCounts& counts = kinds_counted(group);
        if (i < report.settings.detailed) group.lock_array = lock_array_of(report, i);
        if (group.lock_array.any()) {
            group.synchronises = false;
            // The replay took the false events of these lines for what goes.
            const order::Time full = report.settings.end.costly.full;
            if (const u64 taken = counts.removable(); group.end_without != 0 && taken != 0)
                group.end_without = std::max(
                    report.settings.end.end,
                    full -
                        std::min(full, scaled(full - group.end_without, group.lock_array.removable, taken)));
        }
        if (!report.settings.sharing)
            group.kind = findings::FindingKind::Contention;
        else if (!group.synchronises && counts.false_events() >= counts.true_events())
            group.kind = findings::FindingKind::FalseSharing;
        else
            group.kind = findings::FindingKind::TrueSharing;
        if (i >= report.settings.detailed) continue;
        name_objects(report, group);
        if (group.figures.peak() != 0) advise(report, group);
    }
}

}  // namespace

const CoherenceCounts& kinds_counted(const ReportGroup& group) {
    const View leading = group.figures.leading();
    const CoherenceCounts& own = group.figures.in(leading);
    return group.all_lines > 0 && own.first_touches > own.events() / 10 ? group.contended_lines.in(leading)
                                                                        : own;
}

void SharingFigures::add(const SharingFigures& other) {
    accesses.loads += other.accesses.loads;
    accesses.stores += other.accesses.stores;
    uncounted += other.uncounted;
    for (u32 view = 0; view < kViews; ++view) counts[view].add(other.counts[view]);
}

u32 SharingReport::group_of(ObjectId id) {
    const u32* number = object_numbers.find(static_cast<u32>(id));
    return number == nullptr ? ~u32{0} : objects[*number - 1].group;
}

SharingReport::~SharingReport() {
    for (char* string : strings_) rt::release(string);
}

const char* SharingReport::keep(rt::Text& text) {
    const usize bytes = text.size() + 1;
    char* copy = static_cast<char*>(rt::allocate(bytes, "memspy.contention.report"));
    const char* from = text.c_str();
    for (usize i = 0; i < bytes; ++i) copy[i] = from[i];
    strings_.push_back(copy);
    return copy;
}

void build(SharingReport& report, const ReportSettings& settings) {
    CHECK(report.groups.empty());
    report.settings = settings;
    report.accesses = total_accesses();
    for (View view : {View::Observed, View::Modelled}) report.totals[static_cast<u32>(view)] = total(view);
    for_each_thread([](const ThreadRow& row,
                       void* target) { static_cast<SharingReport*>(target)->threads.push_back(row); },
                    &report);
    for (const ThreadRow& row : report.threads) report.thread_count += row.threads;
    report.parted = most_parted(&report.parted_places);
    collect_waits(report);
    Draft draft(report);
    collect(draft);
    link(draft);
    rank(draft);
    place_rows(report);
    choose_sides(report);
    judge(report);
}

}  // namespace memspy::contention
