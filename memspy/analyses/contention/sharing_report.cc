// SPDX-License-Identifier: GPL-2.0-or-later

#include "analyses/contention/sharing_report.h"

#include <algorithm>

#include "analyses/contention/advice.h"

namespace memspy::contention {
namespace {

// Contended lines that are looked at, the most contended ones. A finding has few; only a program whose
// threads hand over much data has more, and what its coldest lines could add to any group is little.
constexpr usize kMostLines = 20'000;
constexpr u32 kRowsOfGroup = 8, kPairsOfGroup = 8, kLinesOfGroup = 64;

u64 peak_of(const Counts* counts) { return std::max(contended(counts[0]), contended(counts[1])); }
u64 peak_of(const u64* events) { return std::max(events[0], events[1]); }

struct Builder {
    explicit Builder(SharingReport& target) : report(target) {}

    void collect_objects();
    void collect_lines();
    Extent owner_of(Address a);
    void find_owners();
    void link_objects();
    void order_groups();
    void place_lines();
    void place_rows();
    void judge();

    u32 index_of(ObjectId id) {
        u32& number = object_index[static_cast<u32>(id)];
        if (number == 0) {
            report.objects.push_back({.id = id});
            number = static_cast<u32>(report.objects.size());
        }
        return number - 1;
    }
    // Once groups are in order.
    u32 group_of(ObjectId id) {
        const u32* number = object_index.find(static_cast<u32>(id));
        return number == nullptr ? ~u32{0} : report.objects[*number - 1].group;
    }
    u32 root_of(u32 object) {
        while (parents[object] != object) object = parents[object] = parents[parents[object]];
        return object;
    }

    SharingReport& report;
    rt::Vector<Extent> known_extents;  // of the line that is looked at
    rt::HashMap<u32> object_index;     // id -> index + 1
    rt::Vector<u32> parents;           // of objects: disjoint sets
    rt::Vector<u64> objects_lines;     // contended events of the lines that an object has bytes in
    rt::Vector<u32> line_owner;        // object that has most accesses in the line, ~0 for none
};

// Rows of the tally are many; only sums are kept of them here.
void Builder::collect_objects() {
    for_each_row(
        [](const Row& row, void* self) {
            Builder& builder = *static_cast<Builder*>(self);
            Figures& figures = builder.report.objects[builder.index_of(row.object)].figures;
            figures.accesses.loads += row.accesses.loads;
            figures.accesses.stores += row.accesses.stores;
            for (u32 view = 0; view < kViews; ++view) figures.counts[view].add(row.counts[view]);
        },
        this);
}

void Builder::collect_lines() {
    for_each_line(
        [](const LineRow& line, void* self) {
            if (peak_of(line.counts) == 0) return;
            ReportLine kept{.line = line.line, .figures = {}, .ranges = {}};
            for (u32 view = 0; view < kViews; ++view) kept.figures.counts[view] = line.counts[view];
            static_cast<Builder*>(self)->report.lines.push_back(kept);
        },
        this);
    rt::Vector<ReportLine>& lines = report.lines;
    std::sort(lines.begin(), lines.end(), [](const ReportLine& a, const ReportLine& b) {
        return a.figures.peak() != b.figures.peak() ? a.figures.peak() > b.figures.peak() : a.line < b.line;
    });
    if (lines.size() > kMostLines) {
        report.lines_left_out = lines.size() - kMostLines;
        lines.resize(kMostLines);
    }
}

// Memory that was handed out again has had several owners, of which the ranges do not tell: the one with most
// contention is taken. Asking now whose bytes they are is the last resort, since the program may have freed
// them.
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
    return best != nullptr ? *best : find_extent(a);
}

// Whose bytes the ranges of each line are.
void Builder::find_owners() {
    for (ReportLine& line : report.lines) {
        line.ranges.begin = line.ranges.end = static_cast<u32>(report.ranges.size());
        const LineRow* row = find_line(line.line);
        if (row == nullptr || row->ranges == nullptr) continue;
        for (const RangeRow& range : *row->ranges) {
            report.ranges.push_back({.thread = range.thread,
                                     .first = range.first,
                                     .bytes = range.bytes,
                                     .accesses = range.accesses});
            line.figures.accesses.loads += range.accesses.loads;
            line.figures.accesses.stores += range.accesses.stores;
        }
        line.ranges.end = static_cast<u32>(report.ranges.size());
        ReportRange* ranges = report.ranges.data() + line.ranges.begin;
        std::sort(ranges, ranges + line.ranges.size(), [](const ReportRange& a, const ReportRange& b) {
            if (a.first != b.first) return a.first < b.first;
            return a.thread != b.thread ? a.thread < b.thread : a.bytes < b.bytes;
        });
        known_extents.resize(0);
        const Address base = line.line * report.settings.line_bytes;
        for_each_known_extent(
            base, base + report.settings.line_bytes,
            [](const Extent& extent, void* list) {
                static_cast<rt::Vector<Extent>*>(list)->push_back(extent);
            },
            &known_extents);
        for (u32 i = 0; i < line.ranges.size(); ++i) {
            ReportRange& range = ranges[i];
            const Extent extent = owner_of(base + range.first);
            range.object = extent.object;
            range.start = extent.start;
            range.offset = base + range.first - extent.start;
        }
    }
}

// Objects whose false sharing with each other is a good part of the contention of one of them make one group.
// Two large arrays that meet in one line stay apart, and so do those that never wait for each other.
void Builder::link_objects() {
    const View kBoth[] = {View::Observed, View::Modelled};
    struct Link {
        u32 a, b;
        u64 weight;
    };
    rt::Vector<Link> links;
    rt::HashMap<u32> link_index;
    for (const ReportLine& line : report.lines) {
        u32 previous = ~u32{0};
        u64 best = 0;
        u32 owner = ~u32{0};
        u64 weight = 0;
        for (View view : kBoth) {
            const Counts& counts = line.figures.in(view);
            weight = std::max(weight, report.settings.sharing ? counts.false_events() : contended(counts));
        }
        u32 seen[kMostLineBytes];
        u32 seen_count = 0;
        for (u32 i = line.ranges.begin; i < line.ranges.end; ++i) {
            const ReportRange& range = report.ranges[i];
            const u32 object = index_of(range.object);
            if (range.accesses.all() > best) {
                best = range.accesses.all();
                owner = object;
            }
            if (object == previous) continue;
            if (std::find(seen, seen + seen_count, object) == seen + seen_count &&
                seen_count < kMostLineBytes) {
                seen[seen_count++] = object;
                objects_lines.resize(report.objects.size());
                objects_lines[object] += line.figures.peak();
                ++report.objects[object].lines;
            }
            if (previous != ~u32{0}) {
                const u32 low = std::min(previous, object), high = std::max(previous, object);
                u32& number = link_index[(u64{low} << 32) | high];
                if (number == 0) {
                    links.push_back({low, high, 0});
                    number = static_cast<u32>(links.size());
                }
                links[number - 1].weight += weight;
            }
            previous = object;
        }
        line_owner.push_back(owner);
    }
    objects_lines.resize(report.objects.size());
    parents.resize(report.objects.size());
    for (u32 i = 0; i < parents.size(); ++i) parents[i] = i;
    for (const Link& link : links) {
        if (link.weight == 0) continue;
        const u64 smaller = std::min(objects_lines[link.a], objects_lines[link.b]);
        if (link.weight < smaller / 4) continue;
        const u32 a = root_of(link.a), b = root_of(link.b);
        parents[std::max(a, b)] = std::min(a, b);
    }
}

// Numbers groups by rank and puts objects into their order.
void Builder::order_groups() {
    const ReportSettings& settings = report.settings;
    rt::Vector<u32> group_of_root;
    group_of_root.resize(report.objects.size());
    struct Ranked {
        u32 root;
        Figures figures;
        bool finding;
        u64 line_peak;
    };
    rt::Vector<Ranked> ranked;
    for (u32 i = 0; i < report.objects.size(); ++i) {
        const u32 root = root_of(i);
        if (group_of_root[root] == 0) {
            ranked.push_back({.root = root, .figures = {}, .finding = false, .line_peak = 0});
            group_of_root[root] = static_cast<u32>(ranked.size());
        }
        ranked[group_of_root[root] - 1].figures.add(report.objects[i].figures);
    }
    for (Ranked& group : ranked) {
        const u64 peak = group.figures.peak();
        // Accesses are divided, not multiplied: counts may be large.
        const u64 least = group.figures.accesses.all() / 1'000'000 * settings.threshold +
                          group.figures.accesses.all() % 1'000'000 * settings.threshold / 1'000'000;
        group.finding = peak >= settings.floor && peak > 0 && peak >= least;
    }
    std::sort(ranked.begin(), ranked.end(), [this](const Ranked& a, const Ranked& b) {
        if (a.finding != b.finding) return a.finding;
        if (a.figures.peak() != b.figures.peak()) return a.figures.peak() > b.figures.peak();
        const u64 events_a = std::max(a.figures.counts[0].events(), a.figures.counts[1].events());
        const u64 events_b = std::max(b.figures.counts[0].events(), b.figures.counts[1].events());
        if (events_a != events_b) return events_a > events_b;
        return report.objects[a.root].id < report.objects[b.root].id;
    });

    rt::Vector<u32> rank_of_root;
    rank_of_root.resize(report.objects.size());
    for (u32 rank = 0; rank < ranked.size(); ++rank) rank_of_root[ranked[rank].root] = rank;
    for (u32 i = 0; i < report.objects.size(); ++i) report.objects[i].group = rank_of_root[root_of(i)];
    for (u32 i = 0; i < line_owner.size(); ++i)
        if (line_owner[i] != ~u32{0}) line_owner[i] = report.objects[line_owner[i]].group;

    rt::Vector<ReportObject>& objects = report.objects;
    std::sort(objects.begin(), objects.end(), [](const ReportObject& a, const ReportObject& b) {
        if (a.group != b.group) return a.group < b.group;
        if (a.figures.peak() != b.figures.peak()) return a.figures.peak() > b.figures.peak();
        return a.id < b.id;
    });
    for (u32 i = 0; i < objects.size(); ++i) object_index[static_cast<u32>(objects[i].id)] = i + 1;

    report.groups.resize(ranked.size());
    for (u32 i = 0; i < ranked.size(); ++i) {
        report.groups[i].figures = ranked[i].figures;
        report.groups[i].finding = ranked[i].finding;
        report.findings += ranked[i].finding ? 1 : 0;
    }
    for (u32 i = 0; i < objects.size(); ++i) {
        ReportGroup& group = report.groups[objects[i].group];
        if (group.objects.size() == 0) group.objects.begin = i;
        group.objects.end = i + 1;
    }
}

// Gives each line to the group of the object with most accesses in it, in the order of groups; keeps the
// first ones.
void Builder::place_lines() {
    struct Placed {
        u32 group;
        ReportLine line;
    };
    rt::Vector<Placed> placed;
    for (u32 i = 0; i < report.lines.size(); ++i)
        if (line_owner[i] != ~u32{0}) placed.push_back({line_owner[i], report.lines[i]});
    // Lines are in the order of their peaks already.
    std::sort(placed.begin(), placed.end(), [](const Placed& a, const Placed& b) {
        if (a.group != b.group) return a.group < b.group;
        return a.line.figures.peak() != b.line.figures.peak() ? a.line.figures.peak() > b.line.figures.peak()
                                                              : a.line.line < b.line.line;
    });
    report.lines.clear();
    for (const Placed& one : placed) {
        ReportGroup& group = report.groups[one.group];
        group.contended_lines.add(one.line.figures);
        ++group.all_lines;
        if (one.group >= report.settings.detailed || group.lines.size() == kLinesOfGroup) continue;
        if (group.lines.size() == 0) group.lines.begin = static_cast<u32>(report.lines.size());
        report.lines.push_back(one.line);
        group.lines.end = static_cast<u32>(report.lines.size());
        for (u32 i = one.line.ranges.begin; i < one.line.ranges.end; ++i) {
            const ReportRange& range = report.ranges[i];
            ReportObject& object = report.objects[index_of(range.object)];
            if (object.address != 0) continue;
            object.address = one.line.line * report.settings.line_bytes + range.first;
            object.start = range.start;
        }
    }
    for (ReportGroup& group : report.groups)
        if (group.all_lines == 0) group.contended_lines = group.figures;
}

// The most contended rows and pairs of each group that has details. `most` is small, so a new one is put into
// its place step by step.
template <typename Item>
void keep_most(rt::Vector<Item>& items, u32* count, usize first, u32 most, const Item& item, auto&& before) {
    u32 place = *count;
    while (place > 0 && before(item, items[first + place - 1])) --place;
    if (place == most) return;
    if (*count < most) ++*count;
    for (u32 i = *count - 1; i > place; --i) items[first + i] = items[first + i - 1];
    items[first + place] = item;
}

bool row_before(const Row& a, const Row& b) {
    if (peak_of(a.counts) != peak_of(b.counts)) return peak_of(a.counts) > peak_of(b.counts);
    if (a.accesses.all() != b.accesses.all()) return a.accesses.all() > b.accesses.all();
    if (a.thread != b.thread) return a.thread < b.thread;
    if (a.place.instruction != b.place.instruction) return a.place.instruction < b.place.instruction;
    if (a.place.path != b.place.path) return a.place.path < b.place.path;
    return a.object < b.object;
}

bool pair_before(const PairRow& a, const PairRow& b) {
    if (peak_of(a.events) != peak_of(b.events)) return peak_of(a.events) > peak_of(b.events);
    if (a.thread != b.thread) return a.thread < b.thread;
    return a.other != b.other ? a.other < b.other : a.object < b.object;
}

void Builder::place_rows() {
    struct Taken {
        Builder* builder;
        u32 groups;
        rt::Vector<Row> rows;
        rt::Vector<PairRow> pairs;
        rt::Vector<u32> row_counts, pair_counts;
    };
    Taken taken;
    taken.builder = this;
    taken.groups = std::min(report.settings.detailed, static_cast<u32>(report.groups.size()));
    taken.rows.resize(usize{taken.groups} * kRowsOfGroup);
    taken.pairs.resize(usize{taken.groups} * kPairsOfGroup);
    taken.row_counts.resize(taken.groups);
    taken.pair_counts.resize(taken.groups);
    for_each_row(
        [](const Row& row, void* argument) {
            Taken& all = *static_cast<Taken*>(argument);
            const u32 group = all.builder->group_of(row.object);
            if (group >= all.groups) return;
            keep_most(all.rows, &all.row_counts[group], usize{group} * kRowsOfGroup, kRowsOfGroup, row,
                      row_before);
        },
        &taken);
    for_each_pair(
        [](const PairRow& pair, void* argument) {
            Taken& all = *static_cast<Taken*>(argument);
            const u32 group = all.builder->group_of(pair.object);
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

// Names, kinds and advice. False sharing is what layout can mend, so it is the kind as soon as mending the
// layout removes at least as many events as it leaves.
void Builder::judge() {
    rt::Text text;
    for (u32 i = 0; i < report.groups.size(); ++i) {
        ReportGroup& group = report.groups[i];
        const Counts& counts = group.contended_lines.in(group.figures.leading());
        if (!report.settings.sharing)
            group.kind = findings::Kind::Contention;
        else if (counts.false_events() >= counts.true_events())
            group.kind = findings::Kind::FalseSharing;
        else
            group.kind = findings::Kind::TrueSharing;
        if (i >= report.settings.detailed) continue;
        group.removable = report.settings.sharing ? counts.false_events() : 0;
        text.reset();
        add_names(text, report, group);
        group.title = report.keep(text);
        if (group.figures.peak() == 0) continue;
        text.reset();
        add_advice(text, report, group);
        group.advice = report.keep(text);
    }
}

}  // namespace

void Figures::add(const Figures& other) {
    accesses.loads += other.accesses.loads;
    accesses.stores += other.accesses.stores;
    for (u32 view = 0; view < kViews; ++view) counts[view].add(other.counts[view]);
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
    Builder builder(report);
    builder.collect_objects();
    builder.collect_lines();
    builder.find_owners();
    builder.link_objects();
    builder.order_groups();
    builder.place_lines();
    builder.place_rows();
    builder.judge();
}

namespace {

findings::SharingRecord::Side side_of(const Row& row) {
    return {.stack = stack_of(row.place),
            .thread = row.thread,
            .loads = row.accesses.loads > 0,
            .stores = row.accesses.stores > 0};
}

findings::SharingRecord::Part part_of(const ReportObject& reported) {
    using What = findings::SharingRecord::Part::What;
    const Object& owner = object(reported.id);
    findings::SharingRecord::Part part{.what = What::Unknown,
                                       .address = reported.address != 0 ? reported.address : owner.start,
                                       .offset = reported.address - reported.start,
                                       .size = owner.size,
                                       .name = owner.name,
                                       .module = owner.module,
                                       .allocated = owner.allocated,
                                       .blocks = owner.blocks,
                                       .thread = owner.thread};
    if (reported.address == 0) part.offset = 0;
    switch (owner.kind) {
        case Object::Kind::Heap: part.what = What::HeapBlock; break;
        case Object::Kind::Static: part.what = is_section(owner) ? What::Section : What::Variable; break;
        case Object::Kind::Stack: part.what = What::Stack; break;
        case Object::Kind::Unknown: break;
    }
    return part;
}

// The row that the first one collides with: most events among those of the thread that it meets most often,
// else of any other thread; in another object of the group or another place, if they have as many. Null when
// there is none.
const Row* other_side(const SharingReport& report, const ReportGroup& group, const Row& first) {
    u32 wanted = 0;
    for (u32 i = group.pairs.begin; i < group.pairs.end && wanted == 0; ++i)
        if (report.pairs[i].thread == first.thread) wanted = report.pairs[i].other;
    const Row* any = nullptr;
    for (u32 i = group.rows.begin; i < group.rows.end; ++i) {
        const Row& row = report.rows[i];
        if (row.thread == first.thread) continue;
        if (row.thread == wanted) return &row;
        if (any == nullptr) any = &row;
    }
    return any;
}

}  // namespace

findings::SharingRecord record_of(SharingReport& report, u32 index) {
    const ReportGroup& group = report.groups[index];
    findings::SharingRecord record;
    record.kind = group.kind;
    // Accesses by system calls have no stack.
    u32 first = group.rows.begin;
    while (first < group.rows.end && stack_of(report.rows[first].place) == ContextId::None) ++first;
    if (first < group.rows.end) {
        record.sides[0] = side_of(report.rows[first]);
        if (const Row* other = other_side(report, group, report.rows[first]))
            record.sides[1] = side_of(*other);
    }
    // By address, as they stand in memory; those that are in no known line come last.
    u32 order[findings::SharingRecord::kMostParts];
    u32 count = 0;
    for (u32 i = group.objects.begin; i < group.objects.end && count < findings::SharingRecord::kMostParts;
         ++i)
        order[count++] = i;
    std::sort(order, order + count, [&](u32 a, u32 b) {
        const Address left = report.objects[a].address - 1, right = report.objects[b].address - 1;
        return left != right ? left < right : a < b;
    });
    for (u32 i = 0; i < count; ++i) record.parts[i] = part_of(report.objects[order[i]]);
    record.part_count = count;
    record.parts_left_out = group.objects.size() - count;

    rt::Text text;
    add_what(text, report, group);
    record.what = report.keep(text);
    text.reset();
    add_figures(text, report, group);
    record.figures = report.keep(text);
    record.advice = group.advice;
    return record;
}

u32 report_findings(SharingReport& report, u32 guest_thread, u32 most) {
    const u32 told = std::min({report.findings, most, report.settings.detailed});
    for (u32 i = 0; i < told; ++i) findings::report_sharing(guest_thread, record_of(report, i));
    return report.findings - told;
}

}  // namespace memspy::contention
