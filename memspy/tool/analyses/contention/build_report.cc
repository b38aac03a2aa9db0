// SPDX-License-Identifier: GPL-2.0-or-later

#include "analyses/contention/build_report.h"

#include <algorithm>

#include "analyses/contention/advice.h"
#include "analyses/contention/awaited.h"
#include "analyses/contention/latent/latent.h"
#include "analyses/contention/lock_array.h"
#include "analyses/contention/sharing_draft.h"
#include "analyses/contention/sharing_rows.h"

namespace memspy::contention {
namespace {

// The run's end with the advised change. The replay has it without the false events of the group and without
// any of them. The change removes about as many as the former, or some number between. Arrays of locks are
// apart: what is false there lies on the ways that nobody waits for.
void set_end(const SharingReport& report, ReportGroup& group, const CoherenceCounts& counts) {
    using order::Time;
    if (group.removable == 0 || group.end_without_any == 0) return;
    const Time full = report.settings.end.costly.full;
    // First touches remain, and about half of the invalidations that follow them.
    const auto repeated = [&](u64 events) { return events - std::min(events, counts.first_touches * 3 / 2); };
    const u64 all = repeated(counts.true_events() + counts.false_events());
    if (all == 0) return;
    const u64 removed = std::min(group.removable, all);
    const u64 falsely = std::max(repeated(counts.removable()), std::min(counts.removable(), removed));
    const Time any = full - std::min(full, group.end_without_any);
    Time saved =
        group.end_without == 0 || group.lock_array.any() ? 0 : full - std::min(full, group.end_without);
    if (saved == 0 || falsely == 0)
        saved = scaled(any, removed, all);
    else if (removed <= falsely)
        saved = scaled(saved, removed, falsely);
    else
        saved += scaled(any - std::min(any, saved), removed - falsely, all - falsely);
    // Without any event of the group; with --coherence-latency all times have those of the others.
    const Time least = std::min(report.settings.end.end, group.end_without_any);
    group.end_without = std::max(least, full - std::min(full, saved));
}

// Names, kinds and advice. The kind is that of most events, as the rows show them; but a lock's words are
// true sharing.
void judge(SharingReport& report) {
    for (u32 i = 0; i < report.groups.size(); ++i) {
        ReportGroup& group = report.groups[i];
        const CoherenceCounts& counts = kinds_counted(group);
        if (i < report.settings.detailed) group.lock_array = lock_array_of(report, i);
        if (group.lock_array.any()) group.synchronises = false;
        if (!report.settings.sharing)
            group.kind = findings::FindingKind::Contention;
        else if (!group.synchronises && counts.false_events() >= counts.true_events())
            group.kind = findings::FindingKind::FalseSharing;
        else
            group.kind = findings::FindingKind::TrueSharing;
        if (i >= report.settings.detailed) continue;
        name_objects(report, group);
        if (group.figures.peak() != 0) advise(report, group);
        set_end(report, group, counts);
    }
}

// What the present layout already has is told as a finding.
void collect_latent(SharingReport& report) {
    LatentRules rules{.threshold = report.settings.threshold,
                      .floor = report.settings.floor,
                      .length = report.settings.end.end,
                      .argument = &report};
    for (const ThreadRow& thread : report.threads) rules.instructions += thread.instructions;
    rules.is_told = [](ObjectId id, void* argument) {
        SharingReport& to = *static_cast<SharingReport*>(argument);
        const u32 group = to.group_of(id);
        return !owned_by_runtime(object(id)) && (group >= to.groups.size() || !to.groups[group].finding);
    };
    find_latent(rules, report.latent, report.latent_members);
}

}  // namespace

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
    stay_log().collect(report.stays);
    collect_waits(report);
    Draft draft(report);
    collect(draft);
    link(draft);
    rank(draft);
    place_rows(report);
    choose_sides(report);
    judge(report);
    collect_latent(report);
}

}  // namespace memspy::contention
