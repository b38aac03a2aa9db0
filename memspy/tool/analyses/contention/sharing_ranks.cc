// SPDX-License-Identifier: GPL-2.0-or-later
#include <algorithm>

#include "analyses/contention/sharing_draft.h"
#include "places/code.h"
#include "rt/runtime_libraries.h"

namespace memspy::contention {

using lines::Time;

namespace {

// False sharing that makes the run this part longer is a finding, whatever the number of accesses.
constexpr Time kFeltGain = 20;
// Of a group's lines: the worst, and some of the others, which stand for all of those.
constexpr u32 kWorstLines = 64, kOtherLines = 64;

// The harmful events of a group, see the header.
struct Harm {
    CoherenceCounts program, runtime;  // by whose code
    CoherenceCounts lines;             // of the lines that its objects lie in
    u64 hot = 0;                       // events of the hot ones
    u64 by_false = 0, by_true = 0;

    void weigh() {
        CoherenceCounts all = program;
        all.add(runtime);
        const bool several_locks = runtime.false_events() / 8 > runtime.true_events();
        u64 falsely = program.false_events() + (several_locks ? runtime.false_events() : 0);
        u64 kinds = all.false_events() + all.true_events();
        // First touches have kinds, too, and there may be many. The contended lines show the kinds better.
        if (all.first_touches > all.events() / 10 && lines.events() > 0 &&
            runtime.events() < all.events() / 10) {
            falsely = lines.false_events();
            kinds = lines.false_events() + lines.true_events();
        }
        const u64 events = repeated(all);
        by_false = kinds == 0 ? 0 : scaled(events, falsely, kinds);
        by_true = std::min(events - by_false, hot);
    }
};

// Thousandths: what varies less in other runs is told as one number.
constexpr u64 kTold = 50;

// The object's suspect, with those that it takes turns with on lines; kNoSuspect: not computed.
u32 suspect_of(const Draft& d, ObjectId object) {
    if (d.report.settings.suspect_of == nullptr || !d.report.settings.sharing)
        return replay::WhatIf::kNoSuspect;
    return d.report.settings.suspect_of(object);
}

// The run's end without the false sharing of the suspect; 0: not computed.
Time end_without(const Draft& d, u32 suspect) {
    return suspect == replay::WhatIf::kNoSuspect ? 0 : d.report.settings.end.costly.without[suspect];
}

// A group, before it has its place.
struct RankedGroup {
    u32 root = 0;
    SharingFigures figures{};
    Harm harm{};
    bool by_itself = false;  // not of bystanders alone
    bool finding = false;
    u32 suspect = replay::WhatIf::kNoSuspect;  // of the object that costs most
    Time end_without = 0;                      // of that
    Time end_without_any = 0;                  // without any event of the object that has most
    bool costs = false;                        // enough to be ranked by it
};

void sort_line_users(Draft& d) {
    std::sort(d.line_users.begin(), d.line_users.end(), [](const LineUser& a, const LineUser& b) {
        return a.object != b.object ? a.object < b.object : a.line < b.line;
    });
}

class Ranking {
public:
    explicit Ranking(Draft& draft) : d(draft) {
        // Those of polls take no time.
        const Time end = d.report.settings.end.end;
        for (const ThreadRow& thread : d.report.threads)
            instructions_ +=
                end == 0 ? thread.instructions : std::min(thread.instructions, thread.threads * end);
    }

    void run() {
        collect_groups();
        collect_harm();
        collect_lines();
        weigh();
        find();
        sort();
        place_objects();
        place_groups();
    }

private:
    void collect_groups();
    void collect_harm();
    void collect_lines();
    void weigh();
    void find();
    void sort();
    void place_objects();
    void place_groups();
    RankedGroup& group_of(u32 root) { return ranked_[group_of_root_[root] - 1]; }

    Draft& d;
    u64 instructions_ = 0;
    rt::Vector<u32> group_of_root_;
    rt::Vector<RankedGroup> ranked_;
};

void Ranking::collect_groups() {
    const u32 objects = static_cast<u32>(d.report.objects.size());
    group_of_root_.resize(objects);
    for (u32 i = 0; i < objects; ++i) {
        const u32 root = d.groups.root_of(i);
        if (group_of_root_[root] == 0) {
            ranked_.push_back({.root = root});
            group_of_root_[root] = static_cast<u32>(ranked_.size());
        }
        group_of(root).figures.add(d.report.objects[i].figures);
    }
}

void Ranking::collect_harm() {
    for (u32 i = 0; i < d.report.objects.size(); ++i) {
        RankedGroup& group = group_of(d.groups.root_of(i));
        const u32 view = static_cast<u32>(group.figures.leading());
        group.harm.program.add(d.makers[i].program[view]);
        d.report.objects[i].hindered = d.makers[i].program[view].false_events();
        if (!owned_by_runtime(object(d.report.objects[i].id)))
            group.harm.runtime.add(d.makers[i].runtime[view]);
        if (d.bystanders[i] != 0) continue;
        group.by_itself = true;
        const u32 suspect = suspect_of(d, d.report.objects[i].id);
        if (const Time end = end_without(d, suspect);
            end != 0 && (group.end_without == 0 || end < group.end_without)) {
            group.suspect = suspect;
            group.end_without = end;
        }
        if (suspect == replay::WhatIf::kNoSuspect) continue;
        const Time any = d.report.settings.end.costly.without_any[suspect];
        if (group.end_without_any == 0 || any < group.end_without_any) group.end_without_any = any;
    }
}

void Ranking::collect_lines() {
    for (LineUser& user : d.line_users) user.object = d.groups.root_of(user.object);
    sort_line_users(d);
    const u64 part = d.report.settings.floor / 10;
    const u64 hot = part + scaled(instructions_, part, 1'000'000);
    for (usize i = 0; i < d.line_users.size(); ++i) {
        if (i > 0 && d.line_users[i] == d.line_users[i - 1]) continue;
        RankedGroup& group = group_of(d.line_users[i].object);
        const SharingFigures figures = figures_of(d.lines[d.line_users[i].line]);
        const CoherenceCounts& counts = figures.in(group.figures.leading());
        group.harm.lines.add(counts);
        if (repeated(counts) >= hot) group.harm.hot += repeated(counts);
    }
}

// What a suspect costs is told where most of it happens. Few of its events cost little of that.
void Ranking::weigh() {
    u64 most_of[replay::WhatIf::kSuspects] = {};
    for (RankedGroup& group : ranked_) {
        group.harm.weigh();
        if (group.end_without == 0) continue;
        u64& most = most_of[group.suspect];
        most = std::max(most, group.harm.by_false);
    }
    for (RankedGroup& group : ranked_)
        if (group.end_without != 0 && group.harm.by_false < most_of[group.suspect] / 2) group.end_without = 0;
}

void Ranking::find() {
    const ReportSettings& settings = d.report.settings;
    const Time full = settings.end.costly.full;
    for (RankedGroup& group : ranked_) {
        const u64 all = group.harm.by_false + group.harm.by_true;
        const Time saved = group.end_without == 0 ? 0 : full - group.end_without;
        const bool falsely = group.harm.by_false >= group.harm.by_true;
        const bool felt = saved > full / kFeltGain && falsely;
        // Whether it is one depends on rates; fewer events tell nothing of a rate.
        group.finding = group.by_itself && all > 0 && all >= settings.floor / 10 &&
                        ((all >= scaled(group.figures.accesses.all(), settings.threshold, 1'000'000) &&
                          4 * group.harm.by_false + group.harm.by_true >=
                              scaled(instructions_, settings.floor, 500'000)) ||
                         felt);
        group.costs = group.end_without != 0 && falsely && is_gain(full, group.end_without);
    }
}

void Ranking::sort() {
    std::sort(ranked_.begin(), ranked_.end(), [this](const RankedGroup& a, const RankedGroup& b) {
        if (a.finding != b.finding) return a.finding;
        if (a.finding && a.costs != b.costs) return a.costs;
        if (a.finding && a.costs && a.end_without != b.end_without) return a.end_without < b.end_without;
        if (a.figures.peak() != b.figures.peak()) return a.figures.peak() > b.figures.peak();
        const u64 events_a = std::max(a.figures.counts[0].events(), a.figures.counts[1].events());
        const u64 events_b = std::max(b.figures.counts[0].events(), b.figures.counts[1].events());
        if (events_a != events_b) return events_a > events_b;
        return object_before(d.report.objects[a.root].id, d.report.objects[b.root].id);
    });
}

void Ranking::place_objects() {
    rt::Vector<ReportObject>& objects = d.report.objects;
    rt::Vector<u32> rank_of_root;
    rank_of_root.resize(objects.size());
    for (u32 rank = 0; rank < ranked_.size(); ++rank) rank_of_root[ranked_[rank].root] = rank;
    for (u32 i = 0; i < objects.size(); ++i) objects[i].group = rank_of_root[d.groups.root_of(i)];
    for (LineUser& user : d.line_users) user.object = rank_of_root[user.object];
    std::sort(objects.begin(), objects.end(), [](const ReportObject& a, const ReportObject& b) {
        if (a.group != b.group) return a.group < b.group;
        if (a.figures.peak() != b.figures.peak()) return a.figures.peak() > b.figures.peak();
        return object_before(a.id, b.id);
    });
    for (u32 i = 0; i < objects.size(); ++i) d.report.object_numbers[static_cast<u32>(objects[i].id)] = i + 1;
}

void Ranking::place_groups() {
    rt::Vector<ReportGroup>& groups = d.report.groups;
    groups.resize(ranked_.size());
    for (u32 i = 0; i < ranked_.size(); ++i) {
        const Harm& harm = ranked_[i].harm;
        groups[i].figures = ranked_[i].figures;
        groups[i].finding = ranked_[i].finding;
        groups[i].end_without = ranked_[i].end_without;
        groups[i].end_without_any = ranked_[i].end_without_any;
        if (ranked_[i].suspect != replay::WhatIf::kNoSuspect) {
            const u64 varies = d.report.settings.end.varies[ranked_[i].suspect];
            groups[i].varies = varies < kTold ? 0 : std::min<u64>(varies, 1'000);
        }
        groups[i].harm_false = harm.by_false;
        groups[i].harm_true = harm.by_true;
        groups[i].synchronises =
            harm.runtime.events() > harm.program.events() && harm.by_true > harm.by_false;
        d.report.findings += ranked_[i].finding ? 1 : 0;
    }
    for (u32 i = 0; i < d.report.objects.size(); ++i) {
        ReportGroup& group = groups[d.report.objects[i].group];
        if (group.objects.size() == 0) group.objects.begin = i;
        group.objects.end = i + 1;
    }
}

// Whether a group keeps its line with this rank. Returns for how many it stands, or 0.
u64 stands_for(u32 rank, u32 all) {
    if (rank < kWorstLines) return 1;
    const u64 others = all - kWorstLines, step = (others + kOtherLines - 1) / kOtherLines;
    return (rank - kWorstLines) % step == 0 ? std::min(step, u64{all - rank}) : 0;
}

// Copies lines into the order of groups; keeps some of each.
void place_lines(Draft& d) {
    // Lines are already sorted by their peaks.
    sort_line_users(d);
    rt::Vector<u32> all_lines;
    all_lines.resize(d.report.groups.size());
    for (usize i = 0; i < d.line_users.size(); ++i)
        if (i == 0 || !(d.line_users[i - 1] == d.line_users[i])) ++all_lines[d.line_users[i].object];
    for (usize i = 0; i < d.line_users.size(); ++i) {
        const LineUser& user = d.line_users[i];
        if (i > 0 && d.line_users[i - 1] == user) continue;
        ReportGroup& group = d.report.groups[user.object];
        const BusyLine& busy = d.lines[user.line];
        const SharingFigures figures = figures_of(busy);
        group.contended_lines.add(figures);
        ++group.all_lines;
        const u64 lines = stands_for(group.all_lines - 1, all_lines[user.object]);
        if (user.object >= d.report.settings.detailed || lines == 0) continue;
        if (group.lines.size() == 0) group.lines.begin = static_cast<u32>(d.report.lines.size());
        d.report.lines.push_back({.line = busy.line, .stands_for = lines, .figures = figures, .ranges = {}});
        group.lines.end = static_cast<u32>(d.report.lines.size());
        Slice& ranges = d.report.lines.back().ranges;
        ranges.begin = static_cast<u32>(d.report.ranges.size());
        read_ranges(d, busy.line, d.report.ranges);
        ranges.end = static_cast<u32>(d.report.ranges.size());
        for (u32 k = ranges.begin; k < ranges.end; ++k) {
            ReportRange& range = d.report.ranges[k];
            range.group = d.report.group_of(range.object);
            if (range.group != user.object) continue;
            ReportObject& object = d.report.objects[d.index_of(range.object)];
            if (object.address != 0) continue;
            object.address = busy.line * d.report.settings.line_bytes + range.first;
            object.start = range.start;
        }
    }
}

}  // namespace

bool owned_by_runtime(const Object& owner) {
    switch (owner.kind) {
        case Object::StorageKind::Heap: return places::allocated_by_runtime(owner.allocated);
        case Object::StorageKind::Static: return rt::is_runtime_library(owner.module);
        case Object::StorageKind::Stack: return false;
        // A mapping may hold locks that the program has put there. But thread-local storage outside the
        // program's variables is the C library's data on the thread.
        case Object::StorageKind::Unknown: return owner.thread != 0 && owner.symbol == nullptr;
    }
    return false;
}

void rank(Draft& d) {
    Ranking(d).run();
    place_lines(d);
}

}  // namespace memspy::contention
