// SPDX-License-Identifier: GPL-2.0-or-later

#include "remedies/advice.h"

#include <algorithm>

#include "advice/sentence.h"
#include "remedies/advise_algorithm.h"
#include "remedies/advise_elements.h"
#include "remedies/advise_layout.h"
#include "remedies/changed_layout.h"
#include "remedies/gain.h"

namespace memspy::remedies {
namespace {

using advice::AdvicePlan;
using advice::Encounter;
using advice::Remedy;

Encounter meeting_of(const AdviceCase& c) {
    if (c.group.kind == findings::FindingKind::TrueSharing) return Encounter::SameBytes;
    if (c.group.kind != findings::FindingKind::FalseSharing) return Encounter::Unknown;
    return has_neighbours(c.report, c.group, c.parts) ? Encounter::Between : Encounter::Inside;
}

// Those of the group's lines, with what objects of other groups have there.
u64 events_on_lines(const AdviceCase& c) {
    u64 events = 0;
    for (u32 i = c.group.lines.begin; i < c.group.lines.end; ++i) {
        const ReportLine& line = c.report.lines[i];
        const CoherenceCounts& counts = line.figures.in(c.group.figures.leading());
        events += line.stands_for * contended(counts);
    }
    return events;
}

// So many of all events a change removes that leaves these; `guess` where no stays of its lines were kept.
u64 removed_by(const AdviceCase& c, const LeftEvents& left, u64 all, u64 guess) {
    if (!left.known()) return guess;
    const u64 there = std::max(all, events_on_lines(c));
    return std::min(all, left.removed_of(there, kinds_counted(c.group).first_touches));
}
// The same of the advice from this on.
u64 removed_by(const AdviceCase& c, u64 all, u64 guess, usize from = 0) {
    return removed_by(c, replay(c, ChangedLayout(c, from)), all, guess);
}

// The last advice, and those before it, remove so many of all events.
void set_removed(AdviceCase& c, u64 removed, u64 all, bool about = false) {
    advice::Advice& last = c.plan.advice.back();
    last.removes = removed;
    last.events = all;
    last.about = about;
    last.observed = c.group.figures.leading() == View::Observed;
}

bool is_worth_telling(u64 removed, u64 all) {
    constexpr u64 kPart = 10;  // a tenth
    return removed * kPart >= all;
}
// The advice from `from` on, which stands besides others, removes so many.
void tell_or_cut(AdviceCase& c, usize from, u64* removed, u64 all) {
    if (is_worth_telling(*removed, all)) return set_removed(c, *removed, all);
    c.plan.cut(from);
    *removed = 0;
}

// Less exchange, or copies; and what lies beside that gets lines of its own, if that helps much. Copies
// promise what a replay without them tells.
u64 advise_others(AdviceCase& c, u64 all, u64 removable) {
    u64 removed = 0;
    if (advise_algorithm(c)) {
        removed = removed_by(c, all, c.group.all_lines <= 1 && c.parts.size() == 1 ? all : 0);
        if (removed != 0) set_removed(c, removed, all, c.plan.advice.back().about);
        return removed;
    }
    const usize before = c.plan.advice.size();
    if (removable == 0 || !advise_read_only(c)) return 0;
    removed = removed_by(c, all, removable, before);
    tell_or_cut(c, before, &removed, all);
    return removed;
}

// True sharing, or false sharing with a good part of true sharing: which of both has more events may change from run to
// run.
bool is_also_shared(const AdviceCase& c) {
    constexpr u64 kGoodPart = 4;  // a quarter
    const CoherenceCounts& counts = kinds_counted(c.group);
    return c.group.kind != findings::FindingKind::FalseSharing ||
           counts.true_events() * kGoodPart >= counts.true_events() + counts.false_events();
}

// Threads that have one lock in turn are not parted by a layout, unless each has its own of what the lock
// protects; nor are those of which the replay has about as many events as before.
bool advise_parting(AdviceCase& c, Change* change, LeftEvents* left) {
    const usize before = c.plan.advice.size();
    if (c.group.kind != findings::FindingKind::FalseSharing || !advise_layout(c, change)) return false;
    *left = replay(c, ChangedLayout(c));
    if (c.group.guard.one ? left->known() && left->removed() * 2 >= left->before.events
                          : !left->known() || is_worth_telling(left->removed(), left->before.events))
        return true;
    c.plan.cut(before);
    return false;
}

// What `other` advises in place of the present advice, which comes back where it returns false.
template <typename F>
void replace_advice(AdviceCase& c, F&& other) {
    advice::AdvicePlan present;
    std::swap(present, c.plan);
    if (!other()) std::swap(present, c.plan);
}

// In place of a layout that leaves a third: less exchange or copies, if these remove half as many again.
u64 advise_better(AdviceCase& c, u64 removed, u64 all, u64 removable) {
    if (removed * 3 >= all * 2) return removed;
    replace_advice(c, [&] {
        const u64 others = advise_others(c, all, removable);
        if (others * 2 < removed * 3) return false;
        removed = others;
        return true;
    });
    return removed;
}

// Words that different threads write get lines of their own.
u64 advise_own_words(AdviceCase& c, u64 all) {
    Change change;
    if (!advise_words(c, &change)) return 0;
    u64 removed = removed_by(c, all, 0);
    tell_or_cut(c, 0, &removed, all);
    if (removed != 0) c.add_change(change.object, change.offset);
    return removed;
}

// Lines of their own for the elements of an array of locks. A third of the events must go: who waits for a lock
// then meets its holder more often in what is left.
bool advise_lock_elements(AdviceCase& c, u64 all, u64* removed) {
    if (!advise_locks(c)) return false;
    const u64 told = removed_by(c, all, c.group.lock_array.removable);
    if (!is_worth_telling(told, all)) {
        c.plan.cut(0);
        return false;
    }
    set_removed(c, *removed = told, all, true);
    return true;
}

// Adds advice, and returns how many of all events it removes.
u64 decide(AdviceCase& c, u64 all, u64 removable) {
    if (!c.report.settings.sharing) {
        c.advise(Remedy::RunWithSharing);
        return 0;
    }
    Change change;
    UsedPart index;
    LeftEvents left;
    u64 removed = removable;
    if (advise_lock_elements(c, all, &removed)) {
        c.add_change(c.group.lock_array.object, c.group.lock_array.offset);
    } else if (c.group.synchronises) {
        c.advise(Remedy::SynchroniseLess);
        removed = 0;
        const usize before = c.plan.advice.size();
        if (advise_beside_lock(c)) {
            removed = c.plan.advice.back().removes = removed_by(c, all, c.plan.advice.back().removes);
            if (!is_worth_telling(removed, all)) {
                c.plan.cut(before);
                removed = 0;
            }
        } else if (advise_moving_own(c, &change) || advise_words(c, &change)) {
            removed = removed_by(c, all, 0);
            tell_or_cut(c, before, &removed, all);
        }
    } else if (const UsedPart* const bits = advise_bits(c); bits != nullptr) {
        change = Change(*bits);
        removed = removed_by(c, all, all);
        set_removed(c, removed, all);
        c.add_change(change.object, change.offset);
    } else if (advise_copies(c)) {
        removed = removed_by(c, all, all);
        set_removed(c, removed, all);
        c.add_change({}, 0);
    } else if (const u64 both = c.group.guard.any ? 0 : advise_mutual(c, &index); both != 0) {
        removed = std::min(both, all);
        set_removed(c, removed, all, true);
        change = Change(index);
        c.add_change(change.object, change.offset);
    } else if (advise_parting(c, &change, &left)) {
        removed = removed_by(c, left, all, removable);
        set_removed(c, removed, all);
        c.add_change(change.object, change.offset);
        removed = advise_better(c, removed, all, removable);
    } else if (advise_turns(c)) {
        removed = 0;
    } else if (is_also_shared(c)) {
        // No other layout parts them: what they use together is to be used less. Where that tells of nothing that
        // helps, words that different threads write are parted.
        removed = advise_others(c, all, removable);
        if (removed == 0) replace_advice(c, [&] { return (removed = advise_own_words(c, all)) != 0; });
    } else {
        c.advise(Remedy::Irregular);
        c.add_objects(is_any);
        c.add_places();
        removed = 0;
    }
    return removed;
}

}  // namespace

void name_objects(SharingReport& report, ReportGroup& group) {
    AdvicePlan plan;
    AdviceCase c(report, group, plan);
    plan.add(Remedy::Irregular);  // the list of objects is that of any advice
    c.add_objects(is_any);
    group.named.begin = static_cast<u32>(report.items.size());
    for (const advice::AdviceItem& item : plan.items) report.items.push_back(item);
    group.named.end = static_cast<u32>(report.items.size());
    group.more_named = plan.advice.back().more;
    group.meeting = meeting_of(c);
    const ObjectId hinders = group.kind == findings::FindingKind::FalseSharing ? hindered_by(c) : ObjectId{};
    if (hinders != ObjectId::None) report.items.push_back(c.item(advice::ItemRole::Other, hinders));
    group.hindered = hinders != ObjectId::None;
    rt::Text names;
    advice::add_names(names, plan.items.data(), plan.items.size(), group.more_named);
    group.title = report.keep(names);
}

void advise(SharingReport& report, ReportGroup& group) {
    AdvicePlan plan;
    AdviceCase c(report, group, plan);
    const CoherenceCounts& counts = kinds_counted(group);
    const u64 all = contended(counts);
    group.removable = decide(c, all, report.settings.sharing ? counts.removable() : 0);
    set_end(c, group);
    rt::Text sentence;
    advice::add_sentence(sentence, plan);
    group.advice = report.keep(sentence);
    group.remedies.begin = static_cast<u32>(report.remedies.size());
    for (advice::Advice each : plan.advice) {
        each.first_item += static_cast<u32>(report.items.size());
        report.remedies.push_back(each);
    }
    group.remedies.end = static_cast<u32>(report.remedies.size());
    for (const advice::AdviceItem& item : plan.items) report.items.push_back(item);
}

void add_what(rt::Text& text, const SharingReport& report, const ReportGroup& group) {
    const advice::AdviceItem* const items = report.items.data();
    advice::add_what(text, group.meeting, items + group.named.begin, group.named.size(), group.more_named,
                     group.hindered ? items + group.named.end : nullptr);
}

void add_figures(rt::Text& text, const SharingReport& report, const ReportGroup& group) {
    const View leading = group.figures.leading();
    const View other = leading == View::Modelled ? View::Observed : View::Modelled;
    const CoherenceCounts& counts = group.figures.in(leading);
    const char* const names[kViews] = {"observed", "modelled"};
    text.add_number(counts.coherence_misses).add(" misses and ").add_number(counts.invalidations);
    text.add(" invalidations ").add(names[static_cast<u32>(leading)]).add(" (");
    text.add_number(contended(group.figures.in(other))).add(' ').add(names[static_cast<u32>(other)]);
    text.add(") in ").add_number(group.figures.accesses.all()).add(" accesses");
    const CoherenceCounts& kinds = kinds_counted(group);
    // The words of a lock cannot be separated from each other, so their false sharing is not shown.
    if (report.settings.sharing && !group.synchronises && kinds.true_events() + kinds.false_events() > 0) {
        const u64 all = kinds.true_events() + kinds.false_events();
        text.add(", ").add_percent(kinds.false_events(), all);
        constexpr u64 kMixed = 20;  // both kinds have more than a twentieth
        if (std::min(kinds.true_events(), kinds.false_events()) > all / kMixed)
            text.add(" false and ").add_percent(kinds.true_events(), all).add(" true sharing");
        else
            text.add(" false sharing");
    }
    if (group.all_lines > 0)
        text.add(", in ")
            .add_number(group.all_lines)
            .add(group.all_lines == 1 ? " cache line" : " cache lines");
}

}  // namespace memspy::remedies
