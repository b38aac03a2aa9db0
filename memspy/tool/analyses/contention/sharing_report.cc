// SPDX-License-Identifier: GPL-2.0-or-later

#include "analyses/contention/sharing_report.h"

#include <algorithm>
#include <new>

#include "analyses/contention/advice.h"
#include "analyses/contention/awaited.h"
#include "analyses/contention/lock_array.h"
#include "analyses/contention/sharing_rows.h"
#include "places/code.h"
#include "rt/runtime_libraries.h"

namespace memspy::contention {

using replay::Time;

namespace {

// At most this many contended lines are looked at, the most contended ones. A finding has few lines. Only a
// program whose threads hand over much data has more, and its coldest lines would add little to any group.
constexpr usize kMostLines = 20'000;
// Bytes with fewer accesses take no part in a line's contention, unless no byte of the line has more.
constexpr u64 kFewAccesses = 8;
// A gain of less than a hundredth is not told.
constexpr Time kLeastGain = 100;
// False sharing that makes the run this part longer is a finding, whatever the number of accesses.
constexpr Time kFeltGain = 20;
constexpr u32 kLinesOfGroup = 64, kPairsOfObject = 16;

struct Builder {
    explicit Builder(SharingReport& target) : report(target) {}

    void collect_objects();
    bool owned_by_runtime(const Object& owner);
    void sort_line_users();
    void collect_lines();
    Extent owner_of(Address a);
    void read_ranges(u64 line, rt::Vector<ReportRange>& ranges);
    void collect_pairs();
    void link_objects();
    void link_allocations();
    void order_groups();
    void place_lines();
    void judge();
    u32 suspect_of(ObjectId object) const;
    Time end_without(u32 suspect) const;

    u32 index_of(ObjectId id) {
        u32& number = report.object_numbers[static_cast<u32>(id)];
        if (number == 0) {
            report.objects.push_back({.id = id});
            makers.push_back({});
            object_pairs.push_back({});
            number = static_cast<u32>(report.objects.size());
        }
        return number - 1;
    }
    u32 root_of(u32 object) {
        while (parents[object] != object) object = parents[object] = parents[parents[object]];
        return object;
    }

    void join(u32 one, u32 other) {
        const u32 x = root_of(one), y = root_of(other);
        parents[std::max(x, y)] = std::min(x, y);
    }

    struct ThreadPair {
        u32 other;
        u64 events;
    };
    struct ObjectPairs {
        ThreadPair most[kPairsOfObject];  // most events first
        u32 count;
        u64 all;
    };

    // The counts of an object by the code that makes them, each by view.
    struct Makers {
        CoherenceCounts program[kViews], runtime[kViews];
    };

    // A contended line: its counts are read when they are needed.
    struct BusyLine {
        u64 line, peak;
        AccessCounts accesses;
    };
    static SharingFigures figures_of(const BusyLine& busy) {
        SharingFigures figures{.accesses = busy.accesses};
        const LineRow& counted = *find_line_counts(busy.line);
        for (u32 view = 0; view < kViews; ++view) figures.counts[view] = counted.counts[view];
        return figures;
    }

    SharingReport& report;
    rt::Vector<BusyLine> lines;  // most events first
    rt::Vector<Makers> makers;   // by object, as the next
    rt::Vector<ObjectPairs> object_pairs;
    rt::Vector<Extent> known_extents;  // of the present line
    rt::Vector<u32> parents;           // of objects: disjoint sets
    rt::Vector<u8> bystanders;         // by object: 1 for one that is only in the way of another one's events
    struct LineUser {
        u32 line, object;  // later the root of its set, then its group
        bool operator==(const LineUser&) const = default;
    };
    rt::Vector<LineUser> line_users;  // the users of lines, except those that hardly touch them
};

// The tally has many rows; only sums of them are kept here.
void Builder::collect_objects() {
    for_each_row(
        [](const SharingRow& row, void* self) {
            Builder& builder = *static_cast<Builder*>(self);
            const u32 index = builder.index_of(row.object);
            SharingFigures& figures = builder.report.objects[index].figures;
            figures.accesses.loads += row.accesses.loads;
            figures.accesses.stores += row.accesses.stores;
            if (row.accesses.all() == 0)
                figures.uncounted += std::max(row.counts[0].events(), row.counts[1].events());
            const bool runtime = peak_of(row.counts) > 0 && places::is_runtime_code(row.place.instruction);
            Makers& made = builder.makers[index];
            const bool barrier = runtime && places::is_barrier_code(row.place);
            CoherenceCounts* counts = runtime ? made.runtime : made.program;
            for (u32 view = 0; view < kViews; ++view) {
                figures.counts[view].add(row.counts[view]);
                if (!barrier) counts[view].add(row.counts[view]);
            }
        },
        this);
}

void Builder::collect_lines() {
    for_each_line(
        [](const LineRow& line, void* self) {
            if (const u64 peak = peak_of(line.counts); peak != 0)
                static_cast<Builder*>(self)->lines.push_back({line.line, peak, {}});
        },
        this);
    std::sort(lines.begin(), lines.end(), [](const BusyLine& a, const BusyLine& b) {
        return a.peak != b.peak ? a.peak > b.peak : a.line < b.line;
    });
    if (lines.size() > kMostLines) {
        report.lines_left_out = lines.size() - kMostLines;
        lines.resize(kMostLines);
    }
}

// Memory that was reused has had several owners, which the ranges do not distinguish: the owner with most
// contention is taken. To look up the present owner is the last resort, because the program may have freed
// the memory.
Extent Builder::owner_of(Address a) {
    const Extent* best = nullptr;
    u64 best_peak = 0;
    for (const Extent& extent : known_extents) {
        if (a < extent.begin || a >= extent.end) continue;
        const u64 peak = report.objects[index_of(extent.object)].figures.peak();
        if (best != nullptr && peak <= best_peak) continue;
        best = &extent;
        best_peak = peak;
    }
    return best != nullptr ? *best : places::find_extent(a);
}

// Adds the ranges of the line, and the owners of their bytes.
void Builder::read_ranges(u64 line, rt::Vector<ReportRange>& ranges) {
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
    known_extents.resize(0);
    const Address base = line * report.settings.line_bytes;
    places::for_each_known_extent(
        base, base + report.settings.line_bytes,
        [](const Extent& extent, void* list) { static_cast<rt::Vector<Extent>*>(list)->push_back(extent); },
        &known_extents);
    for (usize i = first; i < ranges.size(); ++i) {
        ReportRange& range = ranges[i];
        const Extent extent = owner_of(base + range.first);
        range.object = extent.object;
        range.start = extent.start;
        range.offset = base + range.first - extent.start;
    }
}

// The pairs of threads with most of an object's false sharing (with most of its contention, if true and false
// sharing are not distinguished).
void Builder::collect_pairs() {
    for_each_pair(
        [](const PairRow& row, void* self) {
            Builder& builder = *static_cast<Builder*>(self);
            const u64* counts = builder.report.settings.sharing ? row.false_events : row.events;
            const ThreadPair pair{row.other, peak_of(counts)};
            const u32* number = builder.report.object_numbers.find(static_cast<u32>(row.object));
            if (number == nullptr || pair.events == 0 || pair.other == 0) return;
            ObjectPairs& pairs = builder.object_pairs[*number - 1];
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
        this);
}

// An object belongs to another object's group if a good part of its contention is false sharing with threads
// that mainly use the other object, in a line of both. So a bystander joins the object that hinders it. Two
// large arrays that meet in one line stay apart, and so do objects of one line that are used at different
// times. What lies between all blocks of the heap is no bystander: through it, blocks that never meet would be one group.
void Builder::link_objects() {
    struct LineUse {  // use of an object in the line by one thread
        u32 thread, object;
        u64 accesses, stores;
    };
    struct Link {
        u32 from, to;
        u64 weight;
    };
    rt::Vector<Link> links;
    // Objects that threads always access right after the other one of the line: these find the line there, so they have
    // no events, but would have them if the other lay elsewhere.
    rt::Vector<Link> shadowed;
    constexpr u64 kManyUses = 20;
    rt::HashMap<u32> link_index;
    rt::Vector<LineUse> uses;
    rt::Vector<ReportRange> ranges;  // of one line: those of all lines would take much memory
    for (BusyLine& line : lines) {
        uses.resize(0);
        ranges.resize(0);
        read_ranges(line.line, ranges);
        for (const ReportRange& range : ranges) {
            line.accesses.add(range.accesses);
            const u32 object = index_of(range.object);
            LineUse* use = std::find_if(uses.begin(), uses.end(), [&](const LineUse& known) {
                return known.thread == range.thread && known.object == object;
            });
            if (use == uses.end()) {
                uses.push_back({range.thread, object, 0, 0});
                use = &uses.back();
            }
            use->accesses += range.accesses.all();
            use->stores += range.accesses.stores;
        }

        u64 line_events = 0;
        const SharingFigures figures = figures_of(line);
        for (const CoherenceCounts& counts : figures.counts)
            line_events =
                std::max(line_events, report.settings.sharing ? counts.false_events() : contended(counts));
        const auto lies_everywhere = [&](const LineUse& use) {
            const Object& owner = object(report.objects[use.object].id);
            return owner.kind == Object::StorageKind::Unknown && owner.start == 0;
        };
        u32 previous = ~u32{0};
        std::sort(uses.begin(), uses.end(), [](const LineUse& x, const LineUse& y) {
            return x.object != y.object ? x.object < y.object : x.thread < y.thread;
        });
        const LineUse* most_events = nullptr;
        for (const LineUse& use : uses)
            if (most_events == nullptr || report.objects[use.object].figures.peak() >
                                              report.objects[most_events->object].figures.peak())
                most_events = &use;
        for (const LineUse& victim : uses) {
            if (victim.object == previous) continue;
            previous = victim.object;
            u64 accesses = 0;
            u32 users = 0;
            bool stores = false;
            for (const LineUse& use : uses) {
                if (use.object != victim.object) continue;
                accesses += use.accesses;
                if (use.accesses * kManyUses < line_events) continue;
                ++users;
                stores |= use.stores * kManyUses >= line_events;
            }
            const bool everywhere = lies_everywhere(victim);
            if (users > 1 && stores && !everywhere && line_events * 4 > line.peak * 3 &&
                report.objects[victim.object].figures.peak() * 100 <
                    report.objects[most_events->object].figures.peak() &&
                !lies_everywhere(*most_events))
                shadowed.push_back({victim.object, most_events->object, 0});
            if (accesses >= kFewAccesses || accesses * 100 >= line.accesses.all()) {
                ++report.objects[victim.object].lines;
                line_users.push_back({static_cast<u32>(&line - lines.data()), victim.object});
            }
            const ObjectPairs& pairs = object_pairs[victim.object];
            // Nobody suffers from what is only read here, however often that is.
            const auto weight = [stores](const LineUse& use) { return stores ? use.accesses : use.stores; };
            for (u32 i = 0; i < pairs.count; ++i) {
                const ThreadPair& pair = pairs.most[i];
                const LineUse* most = nullptr;  // the object that the other thread uses most in this line
                u64 own = 0;
                for (const LineUse& use : uses) {
                    if (use.thread != pair.other) continue;
                    if (use.object == victim.object)
                        own = weight(use);
                    else if (most == nullptr || weight(use) > weight(*most))
                        most = &use;
                }
                if (most == nullptr || weight(*most) < own || everywhere || lies_everywhere(*most)) continue;
                u32& number = link_index[(u64{victim.object} << 32) | most->object];
                if (number == 0) {
                    links.push_back({victim.object, most->object, 0});
                    number = static_cast<u32>(links.size());
                }
                links[number - 1].weight += std::min(pair.events, line_events);
            }
        }
    }
    parents.resize(report.objects.size());
    for (u32 i = 0; i < parents.size(); ++i) parents[i] = i;
    bystanders.resize(report.objects.size());
    for (const Link& link : shadowed) join(link.from, link.to);
    rt::Vector<u64> foreign;  // by object: those of its events that other objects explain
    foreign.resize(report.objects.size());
    for (const Link& link : links) foreign[link.from] += link.weight;
    for (const Link& link : links) {
        const u64 events = report.objects[link.from].figures.peak();
        const u64 others = report.objects[link.to].figures.peak();
        if (events == 0 || others < link.weight / 100) continue;
        // Only some pairs are kept; their shares stand for all.
        u64 kept = 0;
        const ObjectPairs& pairs = object_pairs[link.from];
        for (u32 i = 0; i < pairs.count; ++i) kept += pairs.most[i].events;
        const u64 estimate = kept == 0 ? 0 : foreign[link.from] * (pairs.all / kept);
        if (estimate < events / 4 || link.weight < events / 100) continue;
        // An object that has next to no events would only clutter the other one's finding. It is none of its own if that
        // one's threads have to be parted anyway.
        if (events >= others / 100) {
            join(link.from, link.to);
        } else {
            const SharingFigures& figures = report.objects[link.to].figures;
            const bool parted = figures.in(figures.leading()).false_events() >= others / 2;
            if (estimate < events / 2) continue;
            bystanders[link.from] |= parted ? 1 : 0;
            report.objects[link.from].beside = report.objects[link.to].id;
        }
    }
}

// Blocks of one size that one line of the program allocates are one thing, whatever calls led there.
void Builder::link_allocations() {
    if (report.settings.add_origin == nullptr) return;
    struct AllocationLine {
        rt::Text* name;
        u32 object;
    };
    u64 most = 0;
    for (const ReportObject& each : report.objects) most = std::max(most, each.figures.peak());
    rt::Vector<AllocationLine> known;
    for (u32 i = 0; i < report.objects.size(); ++i) {
        const Object& owner = object(report.objects[i].id);
        // Names are slow, and those of the others are not shown.
        if (owner.kind != Object::StorageKind::Heap || report.objects[i].figures.peak() <= most / 1000)
            continue;
        auto* name = new (rt::allocate(sizeof(rt::Text), "memspy.contention.report")) rt::Text;
        report.settings.add_origin(*name, report.objects[i].id, 0, 0);
        const AllocationLine* same =
            std::find_if(known.begin(), known.end(), [&](const AllocationLine& line) {
                return !name->empty() && line.name->equals(*name) &&
                       object(report.objects[line.object].id).size == owner.size;
            });
        if (same != known.end()) join(i, same->object);
        known.push_back({name, i});
    }
    for (const AllocationLine& line : known) {
        line.name->~Text();
        rt::release(line.name);
    }
}

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

// Whether the object belongs to the C library or an OpenMP library.
bool Builder::owned_by_runtime(const Object& owner) {
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

// The object's suspect, with those that it takes turns with on lines; kNoSuspect: not computed.
u32 Builder::suspect_of(ObjectId object) const {
    if (report.settings.suspect_of == nullptr || !report.settings.sharing) return replay::WhatIf::kNoSuspect;
    return report.settings.suspect_of(object);
}

// The run's end without the false sharing of the suspect; 0: not computed.
Time Builder::end_without(u32 suspect) const {
    return suspect == replay::WhatIf::kNoSuspect ? 0 : report.settings.end.costly.without[suspect];
}

// Numbers groups by rank and puts objects into their order.
void Builder::order_groups() {
    const ReportSettings& settings = report.settings;
    rt::Vector<u32> group_of_root;
    group_of_root.resize(report.objects.size());
    struct Ranked {
        u32 root;
        SharingFigures figures;
        Harm harm;
        bool by_itself;  // not of bystanders alone
        bool finding;
        u32 suspect;       // of the object that costs most
        Time end_without;  // of that
        bool costs;        // enough to be ranked by it
    };
    rt::Vector<Ranked> ranked;
    for (u32 i = 0; i < report.objects.size(); ++i) {
        const u32 root = root_of(i);
        if (group_of_root[root] == 0) {
            ranked.push_back({.root = root,
                              .figures = {},
                              .harm = {},
                              .by_itself = false,
                              .finding = false,
                              .suspect = replay::WhatIf::kNoSuspect,
                              .end_without = 0,
                              .costs = false});
            group_of_root[root] = static_cast<u32>(ranked.size());
        }
        ranked[group_of_root[root] - 1].figures.add(report.objects[i].figures);
    }
    for (u32 i = 0; i < report.objects.size(); ++i) {
        Ranked& group = ranked[group_of_root[root_of(i)] - 1];
        const u32 view = static_cast<u32>(group.figures.leading());
        group.harm.program.add(makers[i].program[view]);
        report.objects[i].hindered = makers[i].program[view].false_events();
        if (!owned_by_runtime(object(report.objects[i].id))) group.harm.runtime.add(makers[i].runtime[view]);
        if (bystanders[i] != 0) continue;
        group.by_itself = true;
        const u32 suspect = suspect_of(report.objects[i].id);
        if (const Time end = end_without(suspect);
            end != 0 && (group.end_without == 0 || end < group.end_without)) {
            group.suspect = suspect;
            group.end_without = end;
        }
    }
    for (LineUser& user : line_users) user.object = root_of(user.object);
    sort_line_users();
    u64 instructions = 0;
    for (const ThreadRow& thread : report.threads) instructions += thread.instructions;
    const u64 hot = settings.floor / 10 + scaled(instructions, settings.floor / 10, 1'000'000);
    for (usize i = 0; i < line_users.size(); ++i) {
        if (i > 0 && line_users[i] == line_users[i - 1]) continue;
        Ranked& group = ranked[group_of_root[line_users[i].object] - 1];
        const SharingFigures figures = figures_of(lines[line_users[i].line]);
        const CoherenceCounts& counts = figures.in(group.figures.leading());
        group.harm.lines.add(counts);
        if (repeated(counts) >= hot) group.harm.hot += repeated(counts);
    }
    const Time full = report.settings.end.costly.full;
    // What a suspect costs is told where most of it happens. Few of its events cost little of that.
    u64 most_of[replay::WhatIf::kSuspects] = {};
    for (Ranked& group : ranked) {
        group.harm.weigh();
        if (group.end_without == 0) continue;
        u64& most = most_of[group.suspect];
        most = std::max(most, group.harm.by_false);
    }
    for (Ranked& group : ranked)
        if (group.end_without != 0 && group.harm.by_false < most_of[group.suspect] / 2) group.end_without = 0;
    for (Ranked& group : ranked) {
        const u64 all = group.harm.by_false + group.harm.by_true;
        const Time saved = group.end_without == 0 ? 0 : full - group.end_without;
        const bool costs = saved > full / kFeltGain && group.harm.by_false >= group.harm.by_true;
        // Whether it is one depends on rates; fewer events tell nothing of a rate.
        group.finding = group.by_itself && all > 0 && all >= settings.floor / 10 &&
                        ((all >= scaled(group.figures.accesses.all(), settings.threshold, 1'000'000) &&
                          4 * group.harm.by_false + group.harm.by_true >=
                              scaled(instructions, settings.floor, 500'000)) ||
                         costs);
    }
    for (Ranked& group : ranked)
        group.costs = group.end_without != 0 && group.harm.by_false >= group.harm.by_true &&
                      full - group.end_without >= full / kLeastGain;
    std::sort(ranked.begin(), ranked.end(), [this](const Ranked& a, const Ranked& b) {
        if (a.finding != b.finding) return a.finding;
        if (a.finding && a.costs != b.costs) return a.costs;
        if (a.finding && a.costs && a.end_without != b.end_without) return a.end_without < b.end_without;
        if (a.figures.peak() != b.figures.peak()) return a.figures.peak() > b.figures.peak();
        const u64 events_a = std::max(a.figures.counts[0].events(), a.figures.counts[1].events());
        const u64 events_b = std::max(b.figures.counts[0].events(), b.figures.counts[1].events());
        if (events_a != events_b) return events_a > events_b;
        return object_before(report.objects[a.root].id, report.objects[b.root].id);
    });

    rt::Vector<u32> rank_of_root;
    rank_of_root.resize(report.objects.size());
    for (u32 rank = 0; rank < ranked.size(); ++rank) rank_of_root[ranked[rank].root] = rank;
    for (u32 i = 0; i < report.objects.size(); ++i) report.objects[i].group = rank_of_root[root_of(i)];
    for (LineUser& user : line_users) user.object = rank_of_root[user.object];

    rt::Vector<ReportObject>& objects = report.objects;
    std::sort(objects.begin(), objects.end(), [](const ReportObject& a, const ReportObject& b) {
        if (a.group != b.group) return a.group < b.group;
        if (a.figures.peak() != b.figures.peak()) return a.figures.peak() > b.figures.peak();
        return object_before(a.id, b.id);
    });
    for (u32 i = 0; i < objects.size(); ++i) report.object_numbers[static_cast<u32>(objects[i].id)] = i + 1;

    report.groups.resize(ranked.size());
    for (u32 i = 0; i < ranked.size(); ++i) {
        report.groups[i].figures = ranked[i].figures;
        report.groups[i].finding = ranked[i].finding;
        report.groups[i].end_without = ranked[i].end_without;
        const Harm& harm = ranked[i].harm;
        report.groups[i].harm_false = harm.by_false;
        report.groups[i].harm_true = harm.by_true;
        report.groups[i].synchronises =
            harm.runtime.events() > harm.program.events() && harm.by_true > harm.by_false;
        report.findings += ranked[i].finding ? 1 : 0;
    }
    for (u32 i = 0; i < objects.size(); ++i) {
        ReportGroup& group = report.groups[objects[i].group];
        if (group.objects.size() == 0) group.objects.begin = i;
        group.objects.end = i + 1;
    }
}

void Builder::sort_line_users() {
    std::sort(line_users.begin(), line_users.end(), [](const LineUser& a, const LineUser& b) {
        return a.object != b.object ? a.object < b.object : a.line < b.line;
    });
}

// Copies lines into the order of groups; keeps the first lines of each.
void Builder::place_lines() {
    // Lines are already sorted by their peaks.
    sort_line_users();
    for (usize i = 0; i < line_users.size(); ++i) {
        const LineUser& user = line_users[i];
        if (i > 0 && line_users[i - 1] == user) continue;
        ReportGroup& group = report.groups[user.object];
        const BusyLine& busy = lines[user.line];
        const SharingFigures figures = figures_of(busy);
        group.contended_lines.add(figures);
        ++group.all_lines;
        if (user.object >= report.settings.detailed || group.lines.size() == kLinesOfGroup) continue;
        if (group.lines.size() == 0) group.lines.begin = static_cast<u32>(report.lines.size());
        report.lines.push_back({.line = busy.line, .figures = figures, .ranges = {}});
        group.lines.end = static_cast<u32>(report.lines.size());
        Slice& ranges = report.lines.back().ranges;
        ranges.begin = static_cast<u32>(report.ranges.size());
        read_ranges(busy.line, report.ranges);
        ranges.end = static_cast<u32>(report.ranges.size());
        for (u32 k = ranges.begin; k < ranges.end; ++k) {
            ReportRange& range = report.ranges[k];
            range.group = report.group_of(range.object);
            if (range.group != user.object) continue;
            ReportObject& object = report.objects[index_of(range.object)];
            if (object.address != 0) continue;
            object.address = busy.line * report.settings.line_bytes + range.first;
            object.start = range.start;
        }
    }
}

// Names, kinds and advice. The kind is that of most events, as the rows show them; but a lock's words are true sharing.
void Builder::judge() {
    rt::Text text;
    for (u32 i = 0; i < report.groups.size(); ++i) {
        ReportGroup& group = report.groups[i];
        const CoherenceCounts& counts = kinds_counted(group);
        if (i < report.settings.detailed) group.lock_array = lock_array_of(report, i);
        if (group.lock_array.any()) {
            group.synchronises = false;
            // The replay took the false events of these lines for what goes.
            const replay::Time full = report.settings.end.costly.full;
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
        text.reset();
        add_names(text, report, group);
        group.title = report.keep(text);
        if (group.figures.peak() == 0) continue;
        text.reset();
        group.removable = add_advice(text, report, group);
        group.advice = report.keep(text);
    }
}

}  // namespace

bool add_gain(rt::Text& text, const SharingReport& report, const ReportGroup& group) {
    const replay::Time full = report.settings.end.costly.full;
    if ((group.kind != findings::FindingKind::FalseSharing && !group.lock_array.any()) ||
        group.end_without == 0 || full - group.end_without < full / kLeastGain)
        return false;
    text.add_times(full, group.end_without).add(" on these ").add_number(report.thread_count);
    text.add(" threads");
    return true;
}

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
    Builder builder(report);
    builder.collect_objects();
    builder.collect_lines();
    builder.collect_pairs();
    builder.link_objects();
    builder.link_allocations();
    builder.order_groups();
    builder.place_lines();
    place_rows(report);
    choose_sides(report);
    builder.judge();
}

}  // namespace memspy::contention
