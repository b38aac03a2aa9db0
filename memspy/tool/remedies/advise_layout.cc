// SPDX-License-Identifier: GPL-2.0-or-later
#include "remedies/advise_layout.h"

#include <algorithm>

#include "remedies/advise_elements.h"
#include "remedies/changed_layout.h"

namespace memspy::remedies {

using advice::AdviceItem;
using advice::ItemRole;
using advice::Remedy;

namespace {

constexpr u64 kLargestStructure = 4096;

// One thread writes some bytes of a block or variable, or several threads write them (a lock and what it
// protects); all other bytes are only read. Of blocks of one size, such as the nodes of a list, each may have
// a writer of its own, and `written` gets the bytes of the first in which any of them is written.
bool find_only_written(const Parts& parts, UsedPart* written) {
    const UsedPart* last = nullptr;
    u64 first = ~u64{0}, end = 0;
    bool reads = false;
    for (const UsedPart& part : parts) {
        if (!part.written) {
            reads = true;
            continue;
        }
        if (last == nullptr) {
            *written = part;
        } else if (last->start != part.start) {
            const Object &one = object(written->object), &other = object(part.object);
            if (one.kind != Object::StorageKind::Heap || other.kind != one.kind || other.size != one.size)
                return false;
        } else if (last->thread != part.thread ||
                   (part.thread != kSeveral && (part.writers > 1 || last->writers > 1))) {
            return false;
        }
        last = &part;
        first = std::min(first, part.begin - part.start);
        end = std::max(end, part.end - part.start);
    }
    if (last == nullptr || !reads) return false;
    if (last->start == written->start) return true;
    written->begin = written->start + first;
    written->end = written->start + end;
    return std::none_of(parts.begin(), parts.end(), [&](const UsedPart& part) {
        return !part.written && part.begin - part.start < end && first < part.end - part.start;
    });
}

// Whether the other blocks of the group that have its size are used as this one: what one thread has to itself
// in it, but for a tenth, one has in each.
bool are_used_alike(const Parts& parts, Address start) {
    u32 alike = 0, unlike = 0;
    for (const UsedPart& part : parts) {
        if (part.start != start) continue;
        for (const UsedPart& other : parts)
            if (other.start != start && object(other.object).size == object(part.object).size &&
                other.begin - other.start < part.end - part.start &&
                part.begin - part.start < other.end - other.start)
                ++((part.thread == kSeveral) == (other.thread == kSeveral) ? alike : unlike);
    }
    return unlike * 10 <= alike;
}

// Whether an advice for parts of the worst line is one for the whole group, whose events it says to remove:
// nearly all are in that line, or the part is a structure's, which is used alike in each line that has one.
bool is_for_all(const AdviceCase& c, const UsedPart& part) {
    return c.has_one_line() ||
           (object(part.object).size <= kLargestStructure && are_used_alike(c.parts, part.start));
}

}  // namespace

bool advise_moving_own(AdviceCase& c, Change* change) {
    const UsedPart *own = nullptr, *first = nullptr, *last = nullptr;
    for (const UsedPart& part : c.parts) {
        if (!c.is_worst(part)) continue;
        if (part.thread == kSeveral) {
            if (first == nullptr) first = &part;
            last = &part;
        } else if (own == nullptr) {
            own = &part;
        } else {
            return false;
        }
    }
    // Between them nothing may be the one thread's.
    if (own == nullptr || first == nullptr || (first->begin < own->begin && own->begin < last->begin) ||
        !is_for_all(c, *own) || c.is_inside_library(*own))
        return false;
    *change = Change(*own);
    c.advise(Remedy::MoveOwn);
    c.plan.add(c.used(*own));
    AdviceItem shared =
        c.item(*first, first->begin - first->start, last->end - last->start - 1, ItemRole::Other);
    if (first->start != last->start) {
        shared.object = 0;
        shared.fields = "";
    }
    c.plan.add(shared);
    return true;
}

namespace {

// The members of a structure that meet in the worst line. Nothing is said of large objects, whose bytes mean
// nothing. Returns false for a structure that goes from thread to thread as a whole, such as a task under a
// lock: each thread that gets it would miss on each of its lines.
bool advise_members(AdviceCase& c, Change* change) {
    constexpr u32 kMostMembers = 4;
    if (c.has_lines() && goes_round(c.parts, c.worst_line())) return false;
    c.advise(Remedy::PartMembers);
    u32 listed = 0;
    bool one_is_own = false, one_is_nameless = false;
    for (const UsedPart& part : c.parts) {
        if (!c.is_worst(part)) continue;
        if ((c.kinds.several_blocks && !is_for_all(c, part)) || c.is_inside_library(part) ||
            part.end - part.start > kLargestStructure || is_row(part))
            return false;
        if (listed == kMostMembers) {
            // So many are no structure's members, unless the structure is small.
            if (object(part.object).size > 4 * c.line_bytes) return false;
            c.plan.advice.back().more = true;
            break;
        }
        if (listed++ == 0) *change = Change(part);
        const AdviceItem& member = c.plan.add(c.used(part));
        one_is_nameless |= member.fields[0] == '\0';
        one_is_own |= part.thread != kSeveral;
    }
    if (listed == 0) {
        c.plan.advice.back().remedy = Remedy::PartThreads;
        return true;
    }
    if (listed == 1 && !one_is_own) return false;  // nothing to part it from
    // Pieces of a library's blocks, such as the nodes of a map.
    return !c.kinds.several_blocks || !one_is_nameless || listed <= 2;
}

Remedy whole_remedy(const AdviceCase& c) {
    if (c.kinds.heap + c.kinds.variables == 0) return Remedy::AllocateApart;
    if (c.is_fortran()) return Remedy::PadBetween;
    if (c.kinds.heap == 0) return c.kinds.variables == 1 ? Remedy::OwnLine : Remedy::Align;
    return c.kinds.variables == 0 ? Remedy::AlignBlocks : Remedy::OwnLines;
}

// Objects that hinder each other.
void advise_apart(AdviceCase& c) {
    const Remedy remedy = whole_remedy(c);
    c.advise(remedy);
    c.add_objects(remedy == Remedy::AllocateApart ? is_any : is_placed);
    if (is_divided_inside(c.report, c.group, c.parts)) c.advise(Remedy::PartInside);
}

void advise_moving_written(AdviceCase& c, const UsedPart& written) {
    c.advise(Remedy::MoveWritten);
    c.plan.add(c.item(written));
}

// Variables or blocks that hinder each other, of which threads hinder each other inside at least two, or
// inside one in a way that does not part it from its neighbours: what is to be done to each. False for
// others. (Where several blocks are one object, the bytes of one say nothing of the others'; and a block that
// is to be aligned as a whole has no name.)
bool advise_each(AdviceCase& c) {
    constexpr u32 kMostVariables = 4;
    const ReportGroup& group = c.group;
    if (c.kinds.variables + c.kinds.heap != group.objects.size() || group.objects.size() > kMostVariables)
        return false;
    Parts own;
    ObjectId whole[kMostVariables];
    u32 divided = 0, whole_count = 0, padded = 0;
    for (u32 i = group.objects.begin; i < group.objects.end; ++i) {
        const ObjectId id = c.report.objects[i].id;
        if (object(id).on_lines > 1) return false;
        own.resize(0);
        for (const UsedPart& part : c.parts)
            if (part.object == id) own.push_back(part);
        if (own.empty()) continue;
        const bool elements = advise_elements(c, own);
        if (elements) {
            ++padded;
            ++divided;
        } else if (UsedPart written; find_only_written(own, &written)) {
            advise_moving_written(c, written);
            ++divided;
        }
        // What has padded elements fills its lines.
        if (!elements) whole[whole_count++] = id;
    }
    if (divided == 0 || (divided == 1 && padded == 1) || (c.kinds.heap > 0 && whole_count > 0) ||
        (c.is_fortran() && padded != divided + whole_count))
        return false;
    if (whole_count > 1 || (whole_count == 1 && padded == 0)) {
        c.advise(Remedy::Align);
        for (u32 i = 0; i < whole_count; ++i) c.plan.add(c.item(ItemRole::Subject, whole[i]));
    }
    return true;
}

// Adds nothing where it returns false.
template <typename F>
bool attempt(AdviceCase& c, F f) {
    const usize before = c.plan.advice.size();
    if (f()) return true;
    c.plan.cut(before);
    return false;
}

bool advise_inside(AdviceCase& c, bool neighbours, Change* change) {
    if (!neighbours && advise_arrays(c)) {
        *change = Change(c.parts[0]);
        return true;
    }
    Parts divided;
    collect_divided(divided, c);
    const Parts& elements = divided.empty() && !neighbours ? c.parts : divided;
    if (elements.empty() || (!divided.empty() && !are_used_alike(c.parts, divided[0].start)) ||
        !advise_elements(c, elements))
        return false;
    *change = Change(elements[0]);
    return true;
}

}  // namespace

ObjectId hindered_by(const AdviceCase& c) {
    if (c.group.objects.size() != 1 ||
        std::any_of(c.parts.begin(), c.parts.end(), [](const UsedPart& part) { return part.written; }))
        return ObjectId::None;
    return c.report.objects[c.group.objects.begin].beside;
}

namespace {

using LayoutAttempt = bool (*)(AdviceCase& c, bool neighbours, Change* change);

bool keep_apart(AdviceCase& c, bool, Change*) {
    const ObjectId hinders = hindered_by(c);
    if (hinders == ObjectId::None) return false;
    c.advise(Remedy::KeepApart);
    c.add_objects(is_any);
    c.plan.add(c.item(ItemRole::Other, hinders));
    return true;
}

bool move_written(AdviceCase& c, bool neighbours, Change* change) {
    UsedPart written;
    if ((neighbours && c.kinds.heap > 0) || !find_only_written(c.parts, &written) ||
        !is_for_all(c, written) || c.is_inside_library(written))
        return false;
    advise_moving_written(c, written);
    *change = Change(written);
    return true;
}

bool change_each(AdviceCase& c, bool neighbours, Change*) {
    return (neighbours || (c.kinds.heap == 0 && c.kinds.variables > 1)) && advise_each(c);
}

bool put_apart(AdviceCase& c, bool neighbours, Change*) {
    if (neighbours) advise_apart(c);
    return neighbours;
}

void change_first(const AdviceCase& c, Change* change) {
    if (!c.parts.empty()) *change = Change(c.parts[0]);
}

bool align_shares(AdviceCase& c, bool neighbours, Change* change) {
    change_first(c, change);
    return !neighbours && advise_shares(c);
}

bool move_own(AdviceCase& c, bool neighbours, Change* change) {
    return !neighbours && advise_moving_own(c, change);
}

bool part_members(AdviceCase& c, bool neighbours, Change* change) {
    change_first(c, change);
    return !neighbours && advise_members(c, change);
}

bool align_any_shares(AdviceCase& c, bool, Change* change) {
    change_first(c, change);
    return advise_any_shares(c);
}

// In the order of what is known: the first that does what can be done is taken.
constexpr LayoutAttempt kAttempts[] = {keep_apart,   move_written, change_each,  advise_inside,   put_apart,
                                       align_shares, move_own,     part_members, align_any_shares};

// How many events go if each thread's bytes have lines of their own.
LeftEvents with_threads_parted(AdviceCase& c) {
    const usize before = c.plan.advice.size();
    c.advise(Remedy::PartThreads);
    const LeftEvents left = replay(c, ChangedLayout(c));
    c.plan.cut(before);
    return left;
}

}  // namespace

bool advise_words(AdviceCase& c, Change* change) {
    rt::Vector<u64> writers;
    for (const UsedPart& part : c.parts)
        if (c.is_worst(part) && part.written && std::none_of(writers.begin(), writers.end(), [&](u64 others) {
                return (others & part.writing_set) != 0;
            }))
            writers.push_back(part.writing_set);
    return writers.size() > 1 && attempt(c, [&] { return part_members(c, false, change); });
}

bool advise_layout(AdviceCase& c, Change* change) {
    const bool neighbours =
        has_neighbours(c.report, c.group, c.parts) || (c.parts.empty() && c.group.objects.size() > 1);
    const LeftEvents parted = with_threads_parted(c);
    const auto succeeds = [&](LayoutAttempt make) {
        return attempt(c, [&] { return make(c, neighbours, change); });
    };
    LayoutAttempt best = nullptr;
    u64 most = 0;
    for (const LayoutAttempt make : kAttempts) {
        const usize before = c.plan.advice.size();
        if (!succeeds(make)) continue;
        if (!parted.known()) return true;
        const u64 removed = replay(c, ChangedLayout(c)).removed();
        // But for a fifth: words that several threads use may part in other ways.
        if (removed * 5 >= parted.removed() * 4) return true;
        c.plan.cut(before);
        if (removed <= most) continue;
        best = make;
        most = removed;
    }
    return best != nullptr && succeeds(best);
}

}  // namespace memspy::remedies
