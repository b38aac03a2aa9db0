// SPDX-License-Identifier: GPL-2.0-or-later
#include "remedies/advise_algorithm.h"

#include <algorithm>
#include <iterator>

#include "places/code.h"
#include "remedies/awaited.h"
#include "rt/prefix.h"

namespace memspy::remedies {

using advice::Advice;
using advice::AdviceItem;
using advice::ItemRole;
using advice::Remedy;

namespace {

// The bytes of the worst line with the most writes show the kind of exchange. (A lock beside them may have
// more writers, but few writes.)
const UsedPart* hottest(const AdviceCase& c) {
    const UsedPart* hot = nullptr;
    for (const UsedPart& part : c.parts)
        if (part.thread == kSeveral && part.written && (!c.has_lines() || c.is_worst(part)) &&
            (hot == nullptr || part.stores > hot->stores))
            hot = &part;
    return hot;
}

// The part has a lock of the program's own, such as the tickets of one: nobody can have several, or a copy.
bool has_lock(const AdviceCase& c, const UsedPart& part) {
    constexpr Address kWordBytes = 4;
    if (c.report.settings.turns_of_lock == nullptr) return false;
    for (Address word = part.begin & ~(kWordBytes - 1); word < part.end; word += kWordBytes)
        if (c.report.settings.turns_of_lock(word) != nullptr) return true;
    return false;
}

// The two places of one block or variable that one thread writes and the other reads, and the other way round:
// the indices of a ring that one thread fills and another empties, or flags by which they answer each other.
struct Mutual {
    const UsedPart *one = nullptr, *other = nullptr;
};
constexpr u64 kFewStores = 8;  // the items of a ring have so many times fewer stores each than its indices
bool are_mutual(const UsedPart& a, const UsedPart& b) {
    const auto has = [](u64 set, u32 thread) { return (set >> (thread & 63) & 1) != 0; };
    return a.start == b.start && a.thread == kSeveral && b.thread == kSeveral && a.writers == 1 &&
           b.writers == 1 && a.writer != b.writer && has(a.reading_set, b.writer) &&
           has(b.reading_set, a.writer) && a.stores <= b.stores * kFewStores &&
           b.stores <= a.stores * kFewStores;
}
// That of the part with the nearest one: an object may have several rings. Nothing else is stored to as often in
// their lines, as it is beside the borders of two threads' parts.
Mutual mutual_of(const AdviceCase& c, const UsedPart& part) {
    Mutual found;
    for (const UsedPart& other : c.parts) {
        if (!are_mutual(part, other)) continue;
        const Mutual pair = part.begin < other.begin ? Mutual{&part, &other} : Mutual{&other, &part};
        if (found.one == nullptr ||
            pair.other->begin - pair.one->begin < found.other->begin - found.one->begin)
            found = pair;
    }
    const auto is_in_the_way = [&](const UsedPart& other) {
        return &other != found.one && &other != found.other && other.written &&
               (other.line == found.one->line || other.line == found.other->line) &&
               other.stores * kFewStores >= part.stores;
    };
    return found.one == nullptr || std::any_of(c.parts.begin(), c.parts.end(), is_in_the_way) ? Mutual{}
                                                                                              : found;
}
Mutual mutual_parts(const AdviceCase& c) {
    const UsedPart* const hot = hottest(c);
    return hot == nullptr ? Mutual{} : mutual_of(c, *hot);
}

void add_mutual(AdviceCase& c, const Mutual& mutual) {
    for (const UsedPart* part : {mutual.one, mutual.other}) c.plan.add(c.item(*part)).thread = part->writer;
}

// A variable of which each thread only wants its own value.
bool is_to_be_private(const AdviceCase& c, const UsedPart& hot) {
    constexpr u32 kMostLines = 2;
    return hot.own_values && hot.bytes() <= c.line_bytes && c.group.all_lines <= kMostLines;
}

// Elements that all threads update: how many the worst line has; 0 if it has something else, too.
u32 elements_of_table(const AdviceCase& c) {
    u64 shared = 0, own = 0;
    u32 elements = 0;
    for (const UsedPart& part : c.parts) {
        if (part.line != c.worst_line()) continue;
        if (part.thread == kSeveral && part.adds && part.writers > 1) {
            shared += part.bytes();
            elements += part.width != 0 ? static_cast<u32>(part.bytes() / part.width) : 1;
        } else {
            own += part.bytes();
        }
    }
    return elements > 1 && shared > 2 * own ? elements : 0;
}

// Each thread has some of the elements for a while, as those of a task: it seldom meets what another one has
// just added to the same element. In a histogram that is so once for each of the line's elements.
bool are_used_in_turn(const ReportGroup& group, u32 elements) {
    constexpr u64 kSeldom = 8;
    const CoherenceCounts& counts = kinds_counted(group);
    return counts.true_events() * elements * kSeldom < counts.false_events();
}

// All of a variable; of a heap block, which may have more than the table, the bytes that have it.
AdviceItem table_item(AdviceCase& c, const UsedPart& hot) {
    if (object(hot.object).kind != Object::StorageKind::Heap) return c.item(ItemRole::Subject, hot.object);
    u64 first = ~u64{0}, end = 0;
    for (const UsedPart& part : c.parts) {
        if (part.object != hot.object || part.thread != kSeveral || !part.adds) continue;
        first = std::min(first, part.begin - part.start);
        end = std::max(end, part.end - part.start);
    }
    return c.item(hot, first, end - 1);
}

bool is_in_openmp(const AdviceCase& c) {
    return std::any_of(std::begin(c.group.sides), std::end(c.group.sides), [&](u32 side) {
        return side < c.report.rows.size() && places::is_openmp_region(c.report.rows[side].place);
    });
}

// The variable's name, "k" of "k of main"; "" if these are fields of something larger.
const char* variable_of(AdviceCase& c, const UsedPart& part) {
    const Object& owner = object(part.object);
    rt::Text name;
    if (is_variable(owner) && owner.size <= part.bytes())
        return c.report.keep(name.add(owner.variable != nullptr ? owner.variable : owner.name));
    if (!c.add_fields(name, part)) return "";
    const auto is_of_name = [](char character) {
        return character == '_' || (character >= '0' && character <= '9') ||
               (character >= 'a' && character <= 'z') || (character >= 'A' && character <= 'Z');
    };
    usize end = 0;
    while (is_of_name(name.c_str()[end])) ++end;
    if (end != name.size() && name.c_str()[end] != ' ') return "";
    name.cut(end);
    return c.report.keep(name);
}

// A variable on a stack may have no name: compilers copy those that an OpenMP construct shares. It is known
// by its function, and where it is written.
AdviceItem private_item(AdviceCase& c, const UsedPart& part) {
    AdviceItem made = c.item(part);
    const Object& owner = object(part.object);
    const bool nameless = owner.kind == Object::StorageKind::Stack && owner.variable == nullptr &&
                          owner.name != nullptr && made.fields[0] == '\0';
    if (!nameless || c.report.settings.describe_place == nullptr || c.group.sides[0] >= c.report.rows.size())
        return made;
    rt::Text place, function;
    c.report.settings.describe_place(place, c.report.rows[c.group.sides[0]].place);
    made.place = c.report.keep(place);
    made.name = c.report.keep(function.add(owner.name));
    return made;
}

Remedy less_exchange(const UsedPart& hot) {
    return hot.writers <= 1                   ? Remedy::WriteLess
           : hot.counts && hot.adds_and_tells ? Remedy::TakeSeveral
           : hot.adds                         ? Remedy::CopyCounter
                                              : Remedy::ChangeLess;
}

constexpr u32 kMostCounters = 8;  // more are a table

bool are_table(const AdviceCase& c, const UsedPart& hot) {
    return std::count_if(c.parts.begin(), c.parts.end(), [&](const UsedPart& part) {
               return part.start == hot.start && part.thread == kSeveral &&
                      less_exchange(part) == Remedy::CopyCounter;
           }) > kMostCounters;
}

// Other blocks, variables or elements of the group may be counters, too.
void add_other_counters(AdviceCase& c, const UsedPart& hot) {
    for (const UsedPart& part : c.parts) {
        const Advice& made = c.plan.advice.back();
        if (made.item_count == kMostCounters) return;
        if (part.thread != kSeveral || part.begin == hot.begin || less_exchange(part) != Remedy::CopyCounter)
            continue;
        const AdviceItem item = c.item(part);
        const AdviceItem* const first = c.plan.items.data() + made.first_item;
        if (item.fields[0] != '\0' &&
            std::none_of(first, first + made.item_count,
                         [&](const AdviceItem& known) { return rt::contains(known.fields, item.fields); }))
            c.plan.add(item);
    }
}

}  // namespace

bool advise_copies(AdviceCase& c) {
    const UsedPart* const hot = hottest(c);
    if (hot == nullptr || has_lock(c, *hot)) return false;
    const bool openmp = is_in_openmp(c);
    if (is_to_be_private(c, *hot)) {
        c.advise(Remedy::MakePrivate).openmp = openmp;
        AdviceItem& subject = c.plan.add(private_item(c, *hot));
        if (openmp) subject.variable = variable_of(c, *hot);
        return true;
    }
    const u32 elements = elements_of_table(c);
    if (elements == 0) return false;
    const bool in_turn = are_used_in_turn(c.group, elements);
    Advice& made = c.advise(in_turn ? Remedy::AddUpLocally : Remedy::CopyTable);
    made.openmp = openmp;
    made.width = hot->width;
    const Object& owner = object(hot->object);
    if (owner.kind == Object::StorageKind::Static && hot->width != 0) made.count = owner.size / hot->width;
    c.plan.add(table_item(c, *hot));
    return true;
}

u64 advise_mutual(AdviceCase& c, UsedPart* first) {
    const Mutual mutual = mutual_parts(c);
    if (mutual.other == nullptr || mutual.one->line != mutual.other->line) return 0;
    *first = *mutual.one;
    c.advise(Remedy::PartIndices);
    add_mutual(c, mutual);
    c.advise(Remedy::CopyIndices);
    // Of several such rings each has a line with these.
    u64 events = 0;
    for (u32 i = c.group.lines.begin; i < c.group.lines.end; ++i) {
        const ReportLine& line = c.report.lines[i];
        if (std::none_of(c.parts.begin(), c.parts.end(), [&](const UsedPart& part) {
                return part.line == line.line && mutual_of(c, part).other != nullptr;
            }))
            continue;
        const CoherenceCounts& counts = line.figures.in(c.group.figures.leading());
        events += line.stands_for * (counts.true_events() + counts.false_events());
    }
    return events;
}

bool advise_turns(AdviceCase& c) {
    if (!c.group.guard.any) return false;
    const UsedPart* const hot = hottest(c);
    if (hot != nullptr && (hot->counts || hot->adds) && !c.is_inside_library(*hot)) return false;
    if (hot != nullptr && has_lock(c, *hot)) return false;  // the lock itself
    c.advise(Remedy::SynchroniseLess);
    c.add_objects(is_any);
    const GuardLock& lock = c.group.guard.lock;
    if (lock.object == ObjectId::None) return true;
    AdviceItem named = c.item(ItemRole::Other, lock.object);
    rt::Text name;
    if (add_variable(name, c.report.settings, lock.object, c.code(), lock.offset))
        named.fields = c.report.keep(name);
    c.plan.add(named);
    return true;
}

// The worst line has so little of the group's events that what is advised for its bytes is no help.
bool is_one_of_many(const AdviceCase& c) {
    constexpr u64 kPart = 16;
    if (c.group.lines.size() == 0) return false;
    const auto events = [&](const SharingFigures& figures) {
        return contended(figures.in(c.group.figures.leading()));
    };
    return events(c.report.lines[c.group.lines.begin].figures) * kPart < events(c.group.figures);
}

bool advise_hand_over(AdviceCase& c) {
    c.advise(Remedy::HandOver);
    c.add_objects(is_any);
    c.add_places();
    return false;
}

bool advise_algorithm(AdviceCase& c) {
    const UsedPart* const hot = hottest(c);
    if (hot == nullptr) return advise_hand_over(c);
    if (const Mutual mutual = mutual_parts(c); mutual.other != nullptr) {
        c.advise(Remedy::Exchange);
        add_mutual(c, mutual);
        c.advise(Remedy::CopyIndices);
        return false;
    }
    const Remedy remedy = less_exchange(*hot);
    // What a library keeps for itself, such as the phase of a std::barrier, nobody else can change. References to
    // what it counts can be held longer.
    if (has_lock(c, *hot) || (remedy != Remedy::TakeSeveral && c.is_inside_library(*hot))) {
        c.advise(Remedy::SynchroniseLess);
        return false;
    }
    if ((remedy == Remedy::ChangeLess || remedy == Remedy::WriteLess) && is_one_of_many(c))
        return advise_hand_over(c);
    if (remedy == Remedy::CopyCounter && are_table(c, *hot)) {
        c.advise(Remedy::CopyTable);
        c.plan.add(table_item(c, *hot));
        return true;
    }
    c.advise(remedy).about = remedy == Remedy::TakeSeveral;
    c.plan.add(c.item(*hot));
    if (remedy == Remedy::CopyCounter) add_other_counters(c, *hot);
    if (remedy == Remedy::ChangeLess) c.add_places();
    // A reference is looked at by who holds it; who only looks still meets those who count.
    if (remedy == Remedy::TakeSeveral) return !hot->only_read_by_some;
    return remedy == Remedy::CopyCounter;
}

bool advise_read_only(AdviceCase& c) {
    const UsedPart *first = nullptr, *last = nullptr;
    bool any_own = false;
    for (const UsedPart& part : c.parts) {
        if (!c.is_worst(part)) continue;
        any_own |= part.thread != kSeveral;
        if (part.written) continue;
        if (first == nullptr) first = &part;
        if (part.start == first->start) last = &part;
    }
    // The figure is the whole group's, the advice only for this line.
    if ((first == nullptr && !any_own) || !c.has_one_line()) return false;
    c.advise(first == nullptr ? Remedy::MoveNeighbours : Remedy::MoveRead);
    if (first != nullptr)
        c.plan.add(c.item(*first, first->begin - first->start, last->end - last->start - 1));
    return true;
}

bool advise_beside_lock(AdviceCase& c) {
    const ReportGroup& group = c.group;
    if (group.objects.size() < 2) return false;
    const ReportObject* objects = c.report.objects.data();
    const ReportObject* most = std::max_element(
        objects + group.objects.begin, objects + group.objects.end,
        [](const ReportObject& a, const ReportObject& b) { return a.hindered < b.hindered; });
    if (most->hindered * 10 < contended(group.figures.in(group.figures.leading()))) return false;
    c.advise(Remedy::KeepFromLock).removes = most->hindered;
    c.plan.add(c.item(ItemRole::Subject, most->id));
    return true;
}

}  // namespace memspy::remedies
