// SPDX-License-Identifier: GPL-2.0-or-later

#include "analyses/contention/build_report.h"

#include "analyses/contention/latent/latent.h"
#include "analyses/contention/lock_array.h"
#include "analyses/contention/parted.h"
#include "analyses/contention/sharing_draft.h"
#include "analyses/contention/sharing_rows.h"
#include "remedies/advice.h"
#include "remedies/awaited.h"

namespace memspy::contention {
namespace {

// But for a tenth: a thread may look at what a lock protects while it does not have it.
GroupGuard guard_of(const SharingReport& report, const ReportGroup& group) {
    constexpr u64 kAll = 10;
    UnderLocks* const locks = report.settings.under_locks;
    if (locks == nullptr) return {};
    u64 events = 0, under = 0;
    const UnderLocks::LockedEvents* most = nullptr;
    for (u32 i = group.objects.begin; i < group.objects.end; ++i) {
        const UnderLocks::LockedEvents* const one = locks->find(report.objects[i].id);
        if (one == nullptr) continue;
        events += one->events;
        under += one->under;
        if (most == nullptr || one->votes > most->votes) most = one;
    }
    if (under == 0 || under * kAll < events * (kAll - 1)) return {};
    const bool one = most->votes * 2 >= events;
    return {true, one, one ? locks->lock(most->lock) : GuardLock{}};
}

// Names, kinds and advice. The kind is that of most events, as the rows show them; but a lock's words are
// true sharing.
void judge(SharingReport& report) {
    for (u32 i = 0; i < report.groups.size(); ++i) {
        ReportGroup& group = report.groups[i];
        const CoherenceCounts& counts = kinds_counted(group);
        if (i < report.settings.detailed) group.lock_array = lock_array_of(report, i);
        if (group.lock_array.any()) group.synchronises = false;
        group.guard = guard_of(report, group);
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
