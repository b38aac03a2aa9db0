// SPDX-License-Identifier: GPL-2.0-or-later

#include "analyses/contention/advice.h"

#include <algorithm>
#include <iterator>
#include <numeric>

#include "analyses/contention/used_parts.h"
#include "places/code.h"
#include "rt/prefix.h"

namespace memspy::contention {
namespace {

constexpr u32 kMostNames = 8;
// A part of a line with this many elements of one width is from a row of a matrix, or a thread's share of an array.
constexpr u32 kElementsOfRow = 4;
constexpr u64 kLargestRow = 4096;  // bytes; larger ones are not padded
constexpr u64 kLargestStructure = 4096;
constexpr u64 kFewestPortions = 16;

struct Kinds {
    u32 heap = 0, variables = 0;
    bool several_blocks = false;  // on the heap: more than one block
};

Kinds kinds_of(const SharingReport& report, const ReportGroup& group) {
    Kinds kinds;
    for (u32 i = group.objects.begin; i < group.objects.end; ++i) {
        const Object& owner = object(report.objects[i].id);
        if (owner.kind == Object::StorageKind::Heap) {
            ++kinds.heap;
            kinds.several_blocks |= owner.blocks > 1;
        } else if (is_variable(owner)) {
            ++kinds.variables;
        }
    }
    kinds.several_blocks |= kinds.heap > 1;
    return kinds;
}

// What a program can give a place: stacks, mappings and sections have an address, but nobody can align one of them.
bool is_placed(const Object& owner) { return owner.kind == Object::StorageKind::Heap || is_variable(owner); }
bool is_any(const Object&) { return true; }

void add_thread(rt::Text& text, u32 thread) {
    if (thread == kSeveral)
        text.add("several threads");
    else
        text.add("thread ").add_number(thread);
}

void add_bytes(rt::Text& text, u64 first, u64 last) {
    if (first == last)
        text.add("byte ").add_number(first);
    else
        text.add("bytes ").add_number(first).add("..").add_number(last);
}

void add_part_name(rt::Text& text, const UsedPart& part) { add_object_name(text, object(part.object)); }
// What is told of one of several blocks is told of each.
void add_owner_of(rt::Text& text, const SharingReport& report, const ReportGroup& group,
                  const UsedPart& part) {
    if (object(part.object).kind == Object::StorageKind::Heap && kinds_of(report, group).several_blocks)
        text.add("each of the heap blocks");
    else
        add_part_name(text, part);
}

// Code that uses the group's objects.
Address code_of(const SharingReport& report, const ReportGroup& group) {
    return group.sides[0] < report.rows.size() ? report.rows[group.sides[0]].place.instruction : 0;
}

void add_origin(rt::Text& text, const SharingReport& report, const ReportGroup& group,
                const ReportObject& reported) {
    const u64 offset = reported.address == 0 ? 0 : reported.address - reported.start;
    report.settings.add_origin(text, reported.id, code_of(report, group), offset);
}

// "a heap block of main (program.c:8)", "heap blocks counts of main (program.c:8) and others": the allocation of the
// block with most events, and the variable that is declared there.
void add_blocks(rt::Text& text, const SharingReport& report, const ReportGroup& group, bool several) {
    rt::Text first, one;
    ContextId allocated{};
    bool others = false, several_first = false;
    for (u32 i = group.objects.begin; report.settings.add_origin != nullptr && i < group.objects.end; ++i) {
        const Object& owner = object(report.objects[i].id);
        if (owner.kind != Object::StorageKind::Heap) continue;
        rt::Text& origin = first.empty() ? first : one;
        origin.reset();
        add_origin(origin, report, group, report.objects[i]);
        if (allocated == ContextId::None) {
            allocated = owner.allocated;
            several_first = owner.blocks > 1;
        }
        if (&origin == &one && !one.equals(first)) others = true;
    }
    if (others) several = several_first;
    rt::Text variable;
    if (first.empty()) {
        text.add(several ? "heap blocks" : "a heap block");
        return;
    }
    if (report.settings.add_owner != nullptr && report.settings.add_owner(variable, allocated))
        text.add(several ? "heap blocks " : "heap block ").add(variable.c_str());
    else
        text.add(several ? "heap blocks" : "a heap block");
    text.add(" of ").add(first.c_str());
    if (others) text.add(" and others");
}

// The names of those objects of the group that are `wanted`.
void add_names_of(rt::Text& text, const SharingReport& report, const ReportGroup& group,
                  bool (*wanted)(const Object&)) {
    u32 order[kMostNames];
    u32 count = 0;
    // Heap objects have one common name, so it is added once, at the end.
    const Kinds kinds = kinds_of(report, group);
    u32 unnamed = 0;
    for (u32 i = group.objects.begin; i < group.objects.end; ++i) {
        const Object& owner = object(report.objects[i].id);
        if (owner.kind == Object::StorageKind::Heap || !wanted(owner)) continue;
        if (count < kMostNames)
            order[count++] = i;
        else
            ++unnamed;
    }
    std::sort(order, order + count, [&](u32 a, u32 b) {
        const Address left = report.objects[a].address - 1, right = report.objects[b].address - 1;
        return left != right ? left < right : a < b;
    });
    const u32 items = count + (kinds.heap > 0 ? 1 : 0) + (unnamed > 0 ? 1 : 0);
    u32 listed = 0;
    const auto separate = [&] {
        if (listed > 0) text.add(listed + 1 == items ? " and " : ", ");
        ++listed;
    };
    for (u32 i = 0; i < count; ++i) {
        separate();
        add_object_name(text, object(report.objects[order[i]].id));
    }
    if (kinds.heap > 0) {
        separate();
        add_blocks(text, report, group, kinds.several_blocks);
    }
    if (unnamed > 0) {
        separate();
        text.add("others");
    }
}

// The fields in these bytes of an object: "stats.hits and stats.misses"; or "bytes 0..15 of stats".
bool add_fields(rt::Text& text, const SharingReport& report, const ReportGroup& group, const UsedPart& part,
                u64 first, u64 last) {
    return report.settings.add_fields != nullptr &&
           report.settings.add_fields(text, part.object, code_of(report, group), first, last - first + 1);
}
void add_range(rt::Text& text, const SharingReport& report, const ReportGroup& group, const UsedPart& part,
               u64 first, u64 last) {
    if (add_fields(text, report, group, part, first, last)) return;
    add_bytes(text, first, last);
    add_owner_of(text.add(" of "), report, group, part);
}
void add_part(rt::Text& text, const SharingReport& report, const ReportGroup& group, const UsedPart& part) {
    add_range(text, report, group, part, part.begin - part.start, part.end - part.start - 1);
}

// Members of a library's class, such as counts._M_element_count, cannot be moved.
bool is_inside_library(const SharingReport& report, const ReportGroup& group, const UsedPart& part) {
    rt::Text fields;
    return add_fields(fields, report, group, part, part.begin - part.start, part.end - part.start - 1) &&
           (rt::contains(fields.c_str(), "._M_") || rt::contains(fields.c_str(), ".__"));
}

// "struct Stats (program.c:4)", or "stats_t (program.c:4)" of a structure without a name of its own. Other types have no place.
bool is_record(const char* type) {
    constexpr const char* kRecords[] = {"struct ", "class ", "union "};
    return rt::starts_with_one_of(type, kRecords) || (*type != '\0' && rt::contains(type, " ("));
}

using dwarf::Language;
Language language_of(const SharingReport& report, const ReportGroup& group) {
    if (report.settings.language_of == nullptr || group.sides[0] >= report.rows.size())
        return Language::Other;
    const Place& place = report.rows[group.sides[0]].place;
    const bool known = report.settings.own_place != nullptr;
    return report.settings.language_of((known ? report.settings.own_place(place) : place).instruction);
}
bool is_fortran(const SharingReport& report, const ReportGroup& group) {
    return language_of(report, group) == Language::Fortran;
}
// "alignas(64)", as the group's language has it.
rt::Text& add_alignment(rt::Text& text, const SharingReport& report, const ReportGroup& group) {
    const bool rust = language_of(report, group) == Language::Rust;
    text.add(rust ? "#[repr(align(" : "alignas(").add_number(report.settings.line_bytes);
    return text.add(rust ? "))]" : ")");
}
// "alignas(64) on ", before a type. C has it for members only.
rt::Text& add_alignment_on(rt::Text& text, const SharingReport& report, const ReportGroup& group) {
    add_alignment(text, report, group).add(" on ");
    return language_of(report, group) == Language::C ? text.add("the first member of ") : text;
}
// " (alignas(64))": how a variable gets a line of its own. Fortran knows no alignment, and only components and common
// blocks have an order.
void add_means(rt::Text& text, const SharingReport& report, const ReportGroup& group) {
    const u64 line = report.settings.line_bytes;
    if (is_fortran(report, group))
        text.add(" (").add_number(line).add(
            " bytes of padding before and behind, in a derived type or a common block)");
    else
        add_alignment(text.add(" ("), report, group).add(')');
}

u64 rounded_up(u64 bytes, u64 unit) { return (bytes + unit - 1) / unit * unit; }

// One thread writes some bytes of a block or variable, or several threads write one part of it; all other bytes are only
// read. Of blocks of one size, such as the nodes of a list, each may have a writer of its own, and `written` gets the bytes
// of the first in which any of them is written.
bool find_only_written(const rt::Vector<UsedPart>& parts, UsedPart* written) {
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
        } else if (last->thread != part.thread || part.writers > 1 || last->writers > 1) {
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

// What is to be changed: the variable at an offset of an object, or everything in the group.
struct Change {
    ObjectId object{};
    u64 offset = 0;
    Change() = default;
    explicit Change(const UsedPart& part) : object(part.object), offset(part.begin - part.start) {}
};

// Whether the other blocks of the group are used as this one: what one thread has to itself in it, but for a tenth, one has
// in each.
bool are_used_alike(const rt::Vector<UsedPart>& parts, Address start) {
    u32 alike = 0, unlike = 0;
    for (const UsedPart& part : parts) {
        if (part.start != start) continue;
        for (const UsedPart& other : parts)
            if (other.start != start && other.begin - other.start < part.end - part.start &&
                part.begin - part.start < other.end - other.start)
                ++((part.thread == kSeveral) == (other.thread == kSeveral) ? alike : unlike);
    }
    return unlike * 10 <= alike;
}

// Whether an advice for parts of the worst line is one for the whole group, whose events it says to remove: nearly all are
// in that line, or the part is a structure's, which is used alike in each line that has one.
bool is_for_all(const SharingReport& report, const ReportGroup& group, const rt::Vector<UsedPart>& parts,
                const UsedPart& part) {
    constexpr u64 kAll = 10;  // but for a tenth
    return report.lines[group.lines.begin].figures.peak() * kAll >= group.figures.peak() * (kAll - 1) ||
           (object(part.object).size <= kLargestStructure && are_used_alike(parts, part.start));
}

// What one thread uses alone lies in the worst line beside what several use, such as a lock and its data.
bool advise_moving_own(rt::Text& text, const SharingReport& report, const ReportGroup& group,
                       const rt::Vector<UsedPart>& parts, Change* change) {
    const UsedPart *own = nullptr, *first = nullptr, *last = nullptr;
    for (const UsedPart& part : parts) {
        if (group.lines.size() == 0 || part.line != report.lines[group.lines.begin].line) continue;
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
        !is_for_all(report, group, parts, *own) || is_inside_library(report, group, *own))
        return false;
    *change = Change(*own);
    text.add("move ");
    add_part(text, report, group, *own);
    text.add(", which only ");
    if (kinds_of(report, group).several_blocks)
        text.add("one thread");
    else
        add_thread(text, own->thread);
    text.add(" uses, to a line of its own");
    add_means(text, report, group);
    text.add("; what several threads use (");
    if (first->start != last->start ||
        !add_fields(text, report, group, *first, first->begin - first->start, last->end - last->start - 1))
        add_bytes(text, first->begin - first->start, last->end - last->start - 1);
    text.add(") may stay together");
    return true;
}

// "32 elements of 4 bytes", where all accesses have one width.
void add_elements(rt::Text& text, const UsedPart& part, u64 bytes) {
    if (part.width == 0 || bytes % part.width != 0) {
        text.add_number(bytes).add(" bytes");
        return;
    }
    text.add_number(bytes / part.width).add(" elements of ").add_number(part.width);
    text.add(part.width == 1 ? " byte" : " bytes");
}

bool is_row(const UsedPart& part) {
    return part.width != 0 && part.elements >= kElementsOfRow && part.elements * part.width == part.bytes();
}

// The part that shows best how the object is used: parts may be cut off by lines.
const UsedPart& longest(const rt::Vector<UsedPart>& parts) {
    return *std::max_element(parts.begin(), parts.end(),
                             [](const UsedPart& a, const UsedPart& b) { return a.bytes() < b.bytes(); });
}

// By the first part that debug information knows: others may be copies that the compiler has made on the stack.
bool name_element(places::ElementName& element, const SharingReport& report, const ReportGroup& group,
                  const rt::Vector<UsedPart>& parts, u64 stride) {
    return report.settings.name_element != nullptr &&
           std::any_of(parts.begin(), parts.end(), [&](const UsedPart& part) {
               return report.settings.name_element(element, part.object, code_of(report, group),
                                                   part.begin - part.start, stride);
           });
}

// `element`: null if it is not known.
void add_padding(rt::Text& text, const SharingReport& report, const ReportGroup& group,
                 places::ElementName* element, u64 stride) {
    const u64 line = report.settings.line_bytes;
    const char* const type = element == nullptr ? "" : element->type.c_str();
    const bool named = element != nullptr && !element->array.empty();
    text.add("pad each element of ");
    if (named) text.add(element->array.c_str()).add(" (");
    text.add_number(stride).add(stride == 1 ? " byte" : " bytes").add(named ? ") to " : " to ");
    text.add_number(rounded_up(stride, line)).add(" and align the first to ").add_number(line);
    add_alignment_on(text.add(" ("), report, group);
    if (is_record(type))
        text.add(type);
    else if (*type != '\0')
        text.add("a struct around each ").add(type);
    else
        text.add("the element's type");
    text.add(")");
}

// Elements of an array, or rows of a matrix, at equal distances.
void advise_stride(rt::Text& text, const SharingReport& report, const ReportGroup& group,
                   const rt::Vector<UsedPart>& parts, u64 stride) {
    const UsedPart& part = longest(parts);
    const u64 line = report.settings.line_bytes;
    const u64 padded = rounded_up(stride, line);
    places::ElementName element;
    const bool named = name_element(element, report, group, parts, stride);
    // A structure with members of one width looks like a row.
    const bool row = is_row(part) && !is_record(element.type.c_str());
    if (stride % line == 0) {
        text.add("align ");
        add_part_name(text, part);
        text.add(" to ").add_number(line).add(" bytes: its ").add(row ? "rows of " : "elements of ");
        text.add_number(stride).add(" bytes begin in the middle of lines");
    } else if (row) {
        text.add("let each row of ");
        add_part_name(text, part);
        text.add(", or each thread's part, begin at a multiple of ")
            .add_number(line)
            .add(" bytes: a pitch of ")
            .add_number(padded);
        text.add(" bytes instead of ").add_number(stride).add(" (");
        add_elements(text, part, padded);
        text.add("), and the first aligned to ").add_number(line);
    } else if (is_fortran(report, group)) {
        // Without alignment only a whole line of padding keeps apart what may cross a line's end.
        const u64 apart = stride <= 8 ? line : padded + line;
        text.add("pad each element of ");
        if (named && !element.array.empty())
            text.add(element.array.c_str()).add(" (").add_number(stride).add(" bytes)");
        else
            text.add_number(stride).add(" bytes");
        text.add(" to ").add_number(apart).add(": ");
        if (is_record(element.type.c_str())) {
            const char* name = element.type.c_str();
            while (*name != ' ') ++name;
            text.add("a component more in type").add(name).add(", character :: padding(");
            text.add_number(apart - stride).add(")");
        } else {
            text.add("a first dimension of ").add_number(apart / stride);
            text.add(", of which each thread uses one element");
        }
    } else {
        add_padding(text, report, group, named ? &element : nullptr, stride);
    }
}

// Whether two names are those of elements of one array: they differ first in an index.
bool differ_in_index(const char* a, const char* b) {
    u32 open = 0;
    while (*a == *b && *a != '\0') {
        if (*a == '[' || *a == '(') ++open;
        if ((*a == ']' || *a == ')') && open > 0) --open;
        ++a;
        ++b;
    }
    return open > 0;
}

// Parts of different threads in the worst line are members with names of their own, not elements of an array.
bool are_members(const SharingReport& report, const ReportGroup& group, const rt::Vector<UsedPart>& parts) {
    rt::Text name, previous;
    const UsedPart* before = nullptr;
    for (const UsedPart& part : parts) {
        if (part.thread == kSeveral || part.line != report.lines[group.lines.begin].line) continue;
        name.reset();
        const u64 first = part.begin - part.start;
        if (!add_fields(name, report, group, part, first, first)) return false;
        if (before != nullptr && before->thread != part.thread &&
            !differ_in_index(previous.c_str(), name.c_str()))
            return true;
        before = &part;
        previous.reset();
        previous.add(name.c_str());
    }
    return false;
}

// Portions of whole lines are too few for several threads to share them out; padded, the array stays small.
bool is_small_array(const UsedPart& part, u64 stride, u64 line) {
    return object(part.object).size < kFewestPortions * std::lcm(stride, line);
}

// The size of the elements by their type, where parts of different threads in the worst line lie in different ones; 0 if that is
// not known, or two threads have parts of one, or one thread has a range of many.
u64 typed_stride(const SharingReport& report, const ReportGroup& group, const rt::Vector<UsedPart>& parts) {
    const u64 worst = report.lines[group.lines.begin].line;
    const UsedPart *before = nullptr, *one = nullptr, *other = nullptr;
    for (const UsedPart& part : parts) {
        if (part.line != worst || part.thread == kSeveral || other != nullptr) continue;
        if (before != nullptr && before->start == part.start && before->thread != part.thread) {
            one = before;
            other = &part;
        }
        before = &part;
    }
    places::ArrayElements elements;
    if (other == nullptr || report.settings.find_elements == nullptr ||
        !report.settings.find_elements(elements, one->object, code_of(report, group), one->begin - one->start,
                                       other->begin - one->start))
        return 0;
    const auto index_of = [&](Address a) {
        return static_cast<i64>(a - one->start - elements.first % elements.bytes) /
               static_cast<i64>(elements.bytes);
    };
    before = nullptr;
    for (const UsedPart& part : parts) {
        if (part.line != worst || part.start != one->start || part.thread == kSeveral) continue;
        const bool several = index_of(part.begin) != index_of(part.end - 1);
        // Members of one width look like a row.
        const bool row = is_row(part) && part.width == elements.bytes;
        if ((several && (row || !is_small_array(part, elements.bytes, report.settings.line_bytes))) ||
            (before != nullptr && before->thread != part.thread &&
             index_of(before->end - 1) == index_of(part.begin)))
            return 0;
        before = &part;
    }
    return elements.bytes;
}

// Of two threads that write one part each in the worst line: nothing but the names tells that these are elements of an
// array. Its parts; none for others.
void collect_named_elements(rt::Vector<UsedPart>& elements, const SharingReport& report,
                            const ReportGroup& group, const rt::Vector<UsedPart>& parts) {
    const UsedPart *one = nullptr, *other = nullptr;
    for (const UsedPart& part : parts) {
        if (part.thread == kSeveral || !part.written || part.line != report.lines[group.lines.begin].line)
            continue;
        if (other != nullptr) return;
        (one == nullptr ? one : other) = &part;
    }
    if (other == nullptr || one->start != other->start || one->thread == other->thread ||
        one->bytes() != other->bytes())
        return;
    rt::Text names[2];
    const UsedPart* const both[] = {one, other};
    for (u32 i = 0; i < 2; ++i)
        if (!add_fields(names[i], report, group, *both[i], both[i]->begin - both[i]->start,
                        both[i]->end - both[i]->start - 1))
            return;
    if (!differ_in_index(names[0].c_str(), names[1].c_str())) return;
    for (const UsedPart* part : both) elements.push_back(*part);
}

// Several threads write parts of the worst line, and not much less than each writes its own.
bool have_common_parts(const SharingReport& report, const ReportGroup& group,
                       const rt::Vector<UsedPart>& parts) {
    constexpr u64 kLess = 4;
    u64 own = 0, common = 0;
    for (const UsedPart& part : parts) {
        if (part.line != report.lines[group.lines.begin].line || !part.written) continue;
        u64& most = part.thread == kSeveral && part.writers > 1 ? common : own;
        most = std::max(most, part.stores);
    }
    return common * kLess >= own && common != 0;
}

// The elements of a large array go to the threads in turn.
bool are_dealt_out(const rt::Vector<UsedPart>& parts) {
    constexpr u32 kLines = 4, kTurns = 4;
    const UsedPart *first = nullptr, *last = nullptr;
    u32 turns = 0, lines = 0;
    for (const UsedPart& part : parts) {
        if (part.thread == kSeveral) continue;
        if (is_row(part)) return false;
        if (first == nullptr) first = &part;
        if (last == nullptr || part.line != last->line) ++lines;
        if (part.thread == first->thread && (last == nullptr || last->thread != part.thread)) ++turns;
        last = &part;
    }
    return turns >= kTurns && lines >= kLines;
}

void advise_dealing(rt::Text& text, const SharingReport& report, const ReportGroup& group,
                    const rt::Vector<UsedPart>& parts, u64 stride) {
    const u64 line = report.settings.line_bytes;
    places::ElementName element;
    text.add("deal out ");
    if (name_element(element, report, group, parts, stride) && !element.array.empty())
        text.add(element.array.c_str());
    else
        add_part_name(text, longest(parts));
    text.add(" to the threads in multiples of ").add_number(std::lcm(stride, line) / stride);
    text.add(" elements of ").add_number(stride).add(stride == 1 ? " byte" : " bytes");
    text.add(", and align the first to ")
        .add_number(line)
        .add(": taken one by one, each line has elements of several threads");
}

// Elements of one block or variable, each for a thread.
bool advise_elements(rt::Text& text, const SharingReport& report, const ReportGroup& group,
                     const rt::Vector<UsedPart>& parts) {
    if (group.lines.size() == 0) return false;
    const bool regular = is_regular(parts, report.lines[group.lines.begin].line);
    u64 stride = regular ? stride_of(parts, report.settings.line_bytes) : 0;
    // Elements between them may be unused, those that tasks take lie at any distance, and some of their members may be used
    // by several threads.
    const u64 typed = typed_stride(report, group, parts);
    if (typed != 0) stride = typed;
    if (stride == 0) {
        rt::Vector<UsedPart> named;
        collect_named_elements(named, report, group, parts);
        if (named.empty()) return false;
        advise_stride(text, report, group, named, named[1].begin - named[0].begin);
        return true;
    }
    // What is longer than the distance from thread to thread is no element: threads work here and there. Nor do
    // elements help of which several threads write a part.
    const UsedPart& part = longest(parts);
    if (stride > kLargestRow || (is_row(part) && part.bytes() > stride && typed == 0) ||
        have_common_parts(report, group, parts) || are_members(report, group, parts))
        return false;
    places::ElementName element;
    const bool few_structures = is_small_array(part, stride, report.settings.line_bytes) &&
                                name_element(element, report, group, parts, stride) &&
                                is_record(element.type.c_str());
    if (are_dealt_out(parts) && !few_structures)
        advise_dealing(text, report, group, parts, stride);
    else
        advise_stride(text, report, group, parts, stride);
    return true;
}

// The parts of the block or variable in the worst line of which several threads have parts, and write them; none if
// there is not just one. If its parts are separated from each other, its neighbours are separated from it as well.
void collect_divided(rt::Vector<UsedPart>& divided, const SharingReport& report, const ReportGroup& group,
                     const rt::Vector<UsedPart>& parts) {
    if (group.lines.size() == 0) return;
    const UsedPart *before = nullptr, *found = nullptr;
    for (const UsedPart& part : parts) {
        if (part.thread == kSeveral || part.line != report.lines[group.lines.begin].line) continue;
        if (before != nullptr && before->thread != part.thread && (before->written || part.written) &&
            before->start == part.start) {
            if (found != nullptr && found->start != part.start) return;
            found = &part;
        }
        before = &part;
    }
    if (found == nullptr) return;
    for (const UsedPart& part : parts)
        if (found->start == part.start) divided.push_back(part);
}

// "counts", an array whose elements are in these bytes.
void add_array(rt::Text& text, const SharingReport& report, const ReportGroup& group, const UsedPart& part,
               u64 first, u64 last) {
    rt::Text element;
    if (add_fields(element, report, group, part, first, first)) {
        usize end = element.size();
        const char* name = element.c_str();
        if (end > 0 && (name[end - 1] == ']' || name[end - 1] == ')'))
            while (end > 0 && name[end] != '[' && name[end] != '(') --end;
        element.cut(end);
    }
    if (element.size() != 0)
        text.add(element.c_str());
    else
        add_range(text, report, group, part, first, last);
}

void advise_arrays(rt::Text& text, const SharingReport& report, const ReportGroup& group,
                   const UsedPart& part, const ThreadArrays& arrays) {
    const u64 line = report.settings.line_bytes;
    text.add("put together what each thread has of ");
    for (u32 i = 0; i < arrays.count; ++i) {
        text.add(i == 0 ? "" : i + 1 == arrays.count ? " and " : ", ");
        add_array(text, report, group, part, arrays.first[i], arrays.last[i]);
    }
    text.add(": one array with an element of ").add_number(line).add(" bytes for each thread");
    add_means(text, report, group);
}

// Shares of a large object that meet within a line, each a row of equal elements.
bool are_borders(const rt::Vector<UsedPart>& parts, u64 line) {
    if (parts.size() < 2 || object(parts[0].object).size <= 4 * line) return false;
    u32 touching = 0;
    for (usize i = 1; i < parts.size(); ++i) {
        if (parts[i].line != parts[i - 1].line) continue;
        if (parts[i].thread == kSeveral && parts[i - 1].thread == kSeveral) return false;
        ++touching;
        // No more than two in a line, and these fill it.
        if (parts[i - 1].begin % line >= line / 8 || line - 1 - (parts[i].end - 1) % line >= line / 8 ||
            (i + 1 < parts.size() && parts[i + 1].line == parts[i].line))
            return false;
    }
    return touching > 0;
}

// Only two or three threads' shares in the worst lines, though they may leave bytes alone, as the inner cells of a grid.
void advise_borders(rt::Text& text, const UsedPart& part, u64 line) {
    text.add("let each thread's part of ");
    add_part_name(text, part);
    text.add(" begin at a multiple of ")
        .add_number(line)
        .add(" bytes: pad its rows, or deal out multiples of ");
    add_elements(text, part, line);
}

// The members of a structure that meet in the worst line. Nothing is said of large objects, whose bytes mean nothing.
// Returns false for a structure that goes from thread to thread as a whole, such as a task under a lock: each thread
// that gets it would miss on each of its lines.
bool advise_members(rt::Text& text, const SharingReport& report, const ReportGroup& group,
                    const rt::Vector<UsedPart>& parts, Change* change) {
    if (group.lines.size() != 0 && goes_round(parts, report.lines[group.lines.begin].line)) return false;
    constexpr u32 kMostMembers = 4;
    const u64 line = report.settings.line_bytes;
    u32 listed = 0;
    const UsedPart *named = nullptr, *unnamed = nullptr;
    const bool several_blocks = kinds_of(report, group).several_blocks;
    for (const UsedPart& part : parts) {
        if (group.lines.size() == 0 || part.line != report.lines[group.lines.begin].line) continue;
        if ((several_blocks && !is_for_all(report, group, parts, part)) ||
            is_inside_library(report, group, part))
            return false;
        if (part.end - part.start > kLargestStructure || is_row(part)) return false;
        if (listed == kMostMembers) {
            // So many are no structure's members, unless the structure is small.
            if (object(part.object).size > 4 * line) return false;
            text.add(", ...");
            break;
        }
        if (listed == 0) *change = Change(part);
        text.add(listed == 0 ? "put " : ", ");
        if (!add_fields(text, report, group, part, part.begin - part.start, part.end - part.start - 1)) {
            add_bytes(text, part.begin - part.start, part.end - part.start - 1);
            unnamed = &part;
        }
        text.add(" (");
        if (several_blocks && part.thread != kSeveral)
            text.add("one thread");
        else
            add_thread(text, part.thread);
        text.add(")");
        named = &part;
        ++listed;
    }
    if (listed == 0) {
        text.add("put parts of different threads on lines of their own");
        add_means(text, report, group);
        return true;
    }
    if (listed == 1 && named->thread == kSeveral) return false;  // nothing to part it from
    // Pieces of a library's blocks, such as the nodes of a map.
    if (several_blocks && unnamed != nullptr && listed > 2) return false;
    if (unnamed != nullptr) {
        add_owner_of(text.add(" of "), report, group, *unnamed);
    }
    text.add(" on lines of their own");
    if (is_fortran(report, group))
        add_means(text, report, group);
    else
        add_alignment(text.add(" ("), report, group).add(" on each)");
    return true;
}

void advise_apart(rt::Text& text, const SharingReport& report, const ReportGroup& group,
                  const rt::Vector<UsedPart>& parts) {
    const u64 line = report.settings.line_bytes;
    const Kinds kinds = kinds_of(report, group);
    if (kinds.heap + kinds.variables == 0) {
        text.add("allocate what other threads use of ");
        add_names(text, report, group);
        add_alignment(text.add(" on lines of its own, or put "), report, group).add(" on each such variable");
    } else if (is_fortran(report, group)) {
        text.add("put ").add_number(line).add(" bytes of padding between ");
        add_names_of(text, report, group, is_placed);
        text.add(
            ": components of a derived type or members of a common block keep their order, and blocks of ");
        text.add("threads are allocated with ").add_number(line).add(" bytes more");
    } else if (kinds.heap == 0 && kinds.variables == 1) {
        text.add("give ");
        add_names_of(text, report, group, is_placed);
        add_alignment(text.add(" a cache line of its own ("), report, group).add(" and padding)");
    } else if (kinds.heap == 0) {
        text.add("align ");
        add_names_of(text, report, group, is_placed);
        add_alignment(text.add(" to ").add_number(line).add(" bytes each ("), report, group).add(')');
    } else if (kinds.variables == 0) {
        text.add("align the blocks to ")
            .add_number(line)
            .add(" bytes and round their sizes up to a multiple of ");
        add_alignment_on(text.add_number(line).add(" (aligned_alloc, or "), report, group).add("the type)");
    } else {
        text.add("give ");
        add_names_of(text, report, group, is_placed);
        add_alignment(text.add(" cache lines of their own ("), report, group);
        text.add(", aligned_alloc and sizes that are multiples of ").add_number(line).add(")");
    }
    if (is_divided_inside(report, group, parts))
        text.add("; inside them, too, parts of different threads need lines of their own");
}

// The bytes of the worst line with the most writes show the kind of exchange. (A lock beside them may have more
// writers, but few writes.)
const UsedPart* hottest(const SharingReport& report, const ReportGroup& group,
                        const rt::Vector<UsedPart>& parts) {
    const UsedPart* hot = nullptr;
    for (const UsedPart& part : parts)
        if (part.thread == kSeveral && part.written &&
            (group.lines.size() == 0 || part.line == report.lines[group.lines.begin].line) &&
            (hot == nullptr || part.stores > hot->stores))
            hot = &part;
    return hot;
}

// The two places of the worst line that one thread writes and the other reads, and the other way round: the indices of
// a ring that one thread fills and another empties, or flags by which they answer each other.
struct Mutual {
    const UsedPart *one = nullptr, *other = nullptr;
};
Mutual mutual_parts(const SharingReport& report, const ReportGroup& group,
                    const rt::Vector<UsedPart>& parts) {
    constexpr u64 kFew = 8;  // the items of the ring have few stores each
    const UsedPart* const hot = hottest(report, group, parts);
    Mutual found;
    if (hot == nullptr) return found;
    for (const UsedPart& part : parts) {
        if (part.thread != kSeveral || !part.written || part.stores * kFew < hot->stores) continue;
        if (part.writer == 0 || part.writers != 1 || !part.read) return {};
        if (found.one == nullptr)
            found.one = &part;
        else if (found.other == nullptr && part.writer != found.one->writer)
            found.other = &part;
        else
            return {};
    }
    return found.other != nullptr ? found : Mutual{};
}

void add_mutual(rt::Text& text, const SharingReport& report, const ReportGroup& group, const Mutual& mutual) {
    add_part(text, report, group, *mutual.one);
    text.add(" (written by ");
    add_thread(text, mutual.one->writer);
    text.add(") and ");
    add_part(text, report, group, *mutual.other);
    text.add(" (");
    add_thread(text, mutual.other->writer);
    text.add(")");
}

constexpr const char* kCopies =
    "if they are the indices of a ring, let each thread keep a copy of the other's index, and look at that "
    "again only when by the copy the ring is full or empty";

// Two indices in one line. Apart, each thread still misses at the other's index for each item, and with copies at its own,
// so only both together help: next to nothing of the line's events remains. Returns these; 0 for others.
u64 advise_mutual(rt::Text& text, const SharingReport& report, const ReportGroup& group,
                  const rt::Vector<UsedPart>& parts, Change* change) {
    const Mutual mutual = mutual_parts(report, group, parts);
    if (mutual.other == nullptr || mutual.one->line != mutual.other->line) return 0;
    *change = Change(*mutual.one);
    text.add("put ");
    add_mutual(text, report, group, mutual);
    text.add(" on lines of their own");
    add_means(text, report, group);
    text.add("; ").add(kCopies);
    const ReportLine* const line =
        std::find_if(report.lines.begin() + group.lines.begin, report.lines.begin() + group.lines.end,
                     [&](const ReportLine& known) { return known.line == mutual.one->line; });
    const CoherenceCounts& counts = line->figures.in(group.figures.leading());
    return counts.true_events() + counts.false_events();
}

void advise_moving_written(rt::Text& text, const SharingReport& report, const ReportGroup& group,
                           const UsedPart& written) {
    text.add("separate what is written (");
    add_part(text, report, group, written);
    text.add(") from what is only read: move it to a line of its own");
    add_means(text, report, group);
}

// Variables or blocks that hinder each other, of which threads hinder each other inside at least two, or inside one in a way
// that does not part it from its neighbours: what is to be done to each. False for others. (Where several blocks are one
// object, the bytes of one say nothing of the others'; and a block that is to be aligned as a whole has no name.)
bool advise_each(rt::Text& text, const SharingReport& report, const ReportGroup& group,
                 const rt::Vector<UsedPart>& parts) {
    constexpr u32 kMostVariables = 4;
    const Kinds kinds = kinds_of(report, group);
    if (kinds.variables + kinds.heap != group.objects.size() || group.objects.size() > kMostVariables ||
        is_fortran(report, group))
        return false;
    const u64 line = report.settings.line_bytes;
    rt::Text inside, beside;
    rt::Vector<UsedPart> own;
    u32 divided = 0, whole = 0, padded = 0;
    for (u32 i = group.objects.begin; i < group.objects.end; ++i) {
        if (object(report.objects[i].id).blocks > 1) return false;
        own.resize(0);
        for (const UsedPart& part : parts)
            if (part.object == report.objects[i].id) own.push_back(part);
        if (own.empty()) continue;
        rt::Text advice;
        const bool elements = advise_elements(advice, report, group, own);
        if (elements)
            ++padded;
        else if (UsedPart written; find_only_written(own, &written))
            advise_moving_written(advice, report, group, written);
        if (!advice.empty()) inside.add(divided++ == 0 ? "" : "; ").add(advice.c_str());
        // What has padded elements fills its lines.
        if (!elements) add_object_name(beside.add(whole++ == 0 ? "" : ", "), object(report.objects[i].id));
    }
    if (divided == 0 || (divided == 1 && padded == 1) || (kinds.heap > 0 && whole > 0)) return false;
    text.add(inside.c_str());
    if (whole > 1 || (whole == 1 && padded == 0))
        add_alignment(text.add("; align ").add(beside.c_str()).add(" to ").add_number(line).add(" bytes ("),
                      report, group)
            .add(')');
    return true;
}

// Nobody stores to the group's only object: what another group has in its lines is in its way.
ObjectId hindered_by(const SharingReport& report, const ReportGroup& group,
                     const rt::Vector<UsedPart>& parts) {
    if (group.objects.size() != 1 ||
        std::any_of(parts.begin(), parts.end(), [](const UsedPart& part) { return part.written; }))
        return ObjectId::None;
    return report.objects[group.objects.begin].beside;
}

// Returns false if no layout is known to help.
bool advise_layout(rt::Text& text, const SharingReport& report, const ReportGroup& group,
                   const rt::Vector<UsedPart>& parts, Change* change) {
    const u64 line = report.settings.line_bytes;
    if (const ObjectId hinders = hindered_by(report, group, parts); hinders != ObjectId::None) {
        add_names(text.add("keep "), report, group);
        add_object_name(text.add(", which is only read, away from "), object(hinders));
        add_means(text, report, group);
        return true;
    }
    const bool neighbours =
        has_neighbours(report, group, parts) || (parts.empty() && group.objects.size() > 1);
    if (UsedPart written; !(neighbours && kinds_of(report, group).heap > 0) &&
                          find_only_written(parts, &written) && is_for_all(report, group, parts, written) &&
                          !is_inside_library(report, group, written)) {
        advise_moving_written(text, report, group, written);
        *change = Change(written);
        return true;
    }
    if (neighbours && advise_each(text, report, group, parts)) return true;
    if (const ThreadArrays arrays = thread_arrays_of(parts); !neighbours && arrays.count > 0) {
        advise_arrays(text, report, group, parts[0], arrays);
        *change = Change(parts[0]);
        return true;
    }
    rt::Vector<UsedPart> divided;
    collect_divided(divided, report, group, parts);
    const rt::Vector<UsedPart>& elements = divided.empty() && !neighbours ? parts : divided;
    if (!elements.empty() && (divided.empty() || are_used_alike(parts, divided[0].start)) &&
        advise_elements(text, report, group, elements)) {
        *change = Change(elements[0]);
        return true;
    }
    if (neighbours) {
        advise_apart(text, report, group, parts);
        return true;
    }
    if (!parts.empty()) *change = Change(parts[0]);
    const u64 worst = group.lines.size() == 0 ? 0 : report.lines[group.lines.begin].line;
    const bool far_apart = is_regular(parts, worst) && stride_of(parts, line) > kLargestRow;
    if (far_apart || are_borders(parts, line)) {
        advise_borders(text, longest(parts), line);
        return true;
    }
    return advise_moving_own(text, report, group, parts, change) ||
           advise_members(text, report, group, parts, change);
}

// An array of locks, or of what has a lock each: the elements get lines of their own. Returns how many events that removes; 0
// for others.
u64 advise_locks(rt::Text& text, const SharingReport& report, const ReportGroup& group, Change* change) {
    const LockArray& array = group.lock_array;
    if (!array.any() || is_fortran(report, group)) return 0;
    places::ElementName element;
    const bool named = report.settings.name_element != nullptr &&
                       report.settings.name_element(element, array.object, code_of(report, group),
                                                    array.offset, array.stride);
    add_padding(text, report, group, named ? &element : nullptr, array.stride);
    change->object = array.object;
    change->offset = array.offset;
    return array.removable;
}

// A variable of which each thread only wants its own value.
bool is_to_be_private(const ReportGroup& group, const UsedPart* hot, u64 line) {
    constexpr u32 kMostLines = 2;
    return hot != nullptr && hot->own_values && hot->bytes() <= line && group.all_lines <= kMostLines;
}

// Elements that all threads update: how many the worst line has; 0 if it has something else, too.
u32 elements_of_table(const SharingReport& report, const ReportGroup& group,
                      const rt::Vector<UsedPart>& parts) {
    const u64 worst = group.lines.size() == 0 ? 0 : report.lines[group.lines.begin].line;
    u64 shared = 0, own = 0;
    u32 elements = 0;
    for (const UsedPart& part : parts) {
        if (part.line != worst) continue;
        if (part.thread == kSeveral && part.adds && !part.adds_and_tells && part.writers > 1) {
            shared += part.bytes();
            elements += part.width != 0 ? static_cast<u32>(part.bytes() / part.width) : 1;
        } else {
            own += part.bytes();
        }
    }
    return elements > 1 && shared > 2 * own ? elements : 0;
}

// Each thread has some of the elements for a while, as those of a task: it seldom meets what another one has just added to
// the same element. In a histogram that is so once for each of the line's elements.
bool are_used_in_turn(const ReportGroup& group, u32 elements) {
    constexpr u64 kSeldom = 8;
    const CoherenceCounts& counts = kinds_counted(group);
    return counts.true_events() * elements * kSeldom < counts.false_events();
}

// "parts of hist"; of a heap block, which may have more than the table: "elements in bytes 0..63 of a heap block".
void add_table(rt::Text& text, const SharingReport& report, const ReportGroup& group,
               const rt::Vector<UsedPart>& parts, const UsedPart& hot) {
    if (object(hot.object).kind != Object::StorageKind::Heap) {
        add_part_name(text.add("parts of "), hot);
        return;
    }
    u64 first = ~u64{0}, end = 0;
    for (const UsedPart& part : parts) {
        if (part.object != hot.object || part.thread != kSeveral || !part.adds) continue;
        first = std::min(first, part.begin - part.start);
        end = std::max(end, part.end - part.start);
    }
    add_range(text.add("elements in "), report, group, hot, first, end - 1);
}

bool is_in_openmp(const SharingReport& report, const ReportGroup& group) {
    return std::any_of(std::begin(group.sides), std::end(group.sides), [&](u32 side) {
        return side < report.rows.size() && places::is_openmp_region(report.rows[side].place);
    });
}

// The variable's name, "k" of "k of main"; nothing if these are fields of something larger.
void add_variable(rt::Text& text, const SharingReport& report, const ReportGroup& group,
                  const UsedPart& part) {
    const Object& owner = object(part.object);
    if (is_variable(owner) && owner.size <= part.bytes()) {
        text.add(owner.variable != nullptr ? owner.variable : owner.name);
        return;
    }
    rt::Text fields;
    if (!add_fields(fields, report, group, part, part.begin - part.start, part.end - part.start - 1)) return;
    const auto is_of_name = [](char c) {
        return c == '_' || (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
    };
    const char* end = fields.c_str();
    while (is_of_name(*end)) ++end;
    if (*end != '\0' && *end != ' ') return;
    for (const char* c = fields.c_str(); c != end; ++c) text.add(*c);
}

// A variable on a stack may have no name: compilers copy those that an OpenMP construct shares.
void add_to_be_private(rt::Text& text, const SharingReport& report, const ReportGroup& group,
                       const UsedPart& part) {
    const Object& owner = object(part.object);
    const u64 first = part.begin - part.start, last = part.end - part.start - 1;
    if (owner.kind != Object::StorageKind::Stack || owner.variable != nullptr || owner.name == nullptr ||
        report.settings.describe_place == nullptr)
        return add_range(text, report, group, part, first, last);
    if (add_fields(text, report, group, part, first, last)) return;
    text.add("the variable of ").add(owner.name).add(" that is written at ");
    if (group.sides[0] < report.rows.size())
        report.settings.describe_place(text, report.rows[group.sides[0]].place);
}

// Takes the place of a shared variable. All its events go, whatever their kind.
bool advise_copies(rt::Text& text, const SharingReport& report, const ReportGroup& group,
                   const rt::Vector<UsedPart>& parts) {
    const UsedPart* const hot = hottest(report, group, parts);
    if (hot == nullptr) return false;
    const u64 line = report.settings.line_bytes;
    const bool openmp = is_in_openmp(report, group);
    if (is_to_be_private(group, hot, line)) {
        text.add("make ");
        add_to_be_private(text, report, group, *hot);
        text.add(" private: each thread writes it before it reads it, so it needs one of its own (");
        rt::Text variable;
        if (openmp) add_variable(variable, report, group, *hot);
        if (variable.size() != 0)
            text.add("OpenMP: private(").add(variable.c_str()).add(")");
        else if (openmp)
            text.add("OpenMP: private(...)");
        else
            text.add("a local variable, or thread_local");
        text.add(")");
        return true;
    }
    if (const u32 elements = elements_of_table(report, group, parts); elements != 0) {
        rt::Text name;
        add_table(name, report, group, parts, *hot);
        if (are_used_in_turn(group, elements)) {
            text.add("several threads add to ").add(name.c_str());
            text.add(
                ", each to its own for a while: let it add up in a local variable, and store that at the "
                "end");
            return true;
        }
        text.add("several threads add to the same ").add(name.c_str());
        text.add(": give each thread a copy of its own, and add the copies up at the end");
        if (openmp) {
            const Object& owner = object(hot->object);
            text.add(" (OpenMP: reduction(+: ");
            if (owner.kind == Object::StorageKind::Static && hot->width != 0) {
                add_part_name(text, *hot);
                text.add("[:").add_plain(owner.size / hot->width).add("]))");
            } else {
                text.add("...))");
            }
        }
        return true;
    }
    return false;
}

// Parts of the worst line that nobody writes: their reads suffer from the writes beside them. Or those of one thread.
// Returns false if there are none.
bool advise_read_only(rt::Text& text, const SharingReport& report, const ReportGroup& group,
                      const rt::Vector<UsedPart>& parts) {
    const UsedPart *first = nullptr, *last = nullptr;
    bool any_own = false;
    for (const UsedPart& part : parts) {
        if (group.lines.size() == 0 || part.line != report.lines[group.lines.begin].line) continue;
        any_own |= part.thread != kSeveral;
        if (part.written) continue;
        if (first == nullptr) first = &part;
        if (part.start == first->start) last = &part;
    }
    if (first == nullptr && !any_own) return false;
    // The figure is the whole group's, the advice only for this line.
    constexpr u64 kAll = 10;  // but for a tenth
    if (report.lines[group.lines.begin].figures.peak() * kAll < group.figures.peak() * (kAll - 1))
        return false;
    if (first == nullptr) {
        text.add("; own lines for its neighbours remove ");
        return true;
    }
    text.add("; move what is only read (");
    add_range(text, report, group, *first, first->begin - first->start, last->end - last->start - 1);
    text.add(") to a line of its own: removes ");
    return true;
}

// Nothing else is in the group's only line.
bool is_alone(const ReportGroup& group, const rt::Vector<UsedPart>& parts, const UsedPart& hot) {
    return group.all_lines <= 1 && group.objects.size() == 1 &&
           std::all_of(parts.begin(), parts.end(), [&](const UsedPart& part) { return &part == &hot; });
}

constexpr u32 kMostPlaces = 4;

// Of objects that only lie beside a lock, names the one that suffers most from it.
void add_hindered(rt::Text& text, const SharingReport& report, const ReportGroup& group) {
    if (group.objects.size() < 2) return;
    const ReportObject* objects = report.objects.data();
    const ReportObject* most = std::max_element(
        objects + group.objects.begin, objects + group.objects.end,
        [](const ReportObject& a, const ReportObject& b) { return a.hindered < b.hindered; });
    if (most->hindered * 10 < contended(group.figures.in(group.figures.leading()))) return;
    text.add("; keep ");
    add_object_name(text, object(most->id));
    text.add(" away from it");
    add_means(text, report, group);
    text.add(": ");
    text.add_number(most->hindered).add(" of these events are its own, and false sharing");
}

// ". To change: stats (program.c:4)": where the object, or each one, is declared or allocated, if that is known.
void add_change(rt::Text& text, const SharingReport& report, const ReportGroup& group,
                const Change& change = {}) {
    if (report.settings.add_origin == nullptr) return;
    rt::Text places;
    if (change.object != ObjectId::None) {
        report.settings.add_origin(places, change.object, code_of(report, group), change.offset);
        if (places.size() != 0) text.add(". To change: ").add(places.c_str());
        return;
    }
    u32 count = 0;
    for (u32 i = group.objects.begin; i < group.objects.end && count < kMostPlaces; ++i) {
        rt::Text one;
        add_origin(one, report, group, report.objects[i]);
        if (one.size() == 0 || rt::contains(places.c_str(), one.c_str())) continue;
        places.add(count++ == 0 ? "" : ", ").add(one.c_str());
    }
    if (count > 0) text.add(". To change: ").add(places.c_str());
}

// Where threads meet: the finding's two places.
void add_where(rt::Text& text, const SharingReport& report, const ReportGroup& group) {
    if (report.settings.describe_place == nullptr) return;
    rt::Text places;
    u32 count = 0;
    for (const u32 side : group.sides) {
        if (side >= report.rows.size()) continue;
        rt::Text one;
        report.settings.describe_place(one, report.rows[side].place);
        if (rt::contains(places.c_str(), one.c_str())) continue;
        places.add(count++ == 0 ? "" : " and ").add(one.c_str());
    }
    if (count > 0) text.add(": ").add(places.c_str());
}

// What a change of the layout cannot help. Returns true if all events go with it.
bool advise_algorithm(rt::Text& text, const SharingReport& report, const ReportGroup& group,
                      const rt::Vector<UsedPart>& parts) {
    const UsedPart* const hot = hottest(report, group, parts);
    if (hot == nullptr) {
        text.add("threads hand over data in ");
        add_names(text, report, group);
        add_where(text, report, group);
    } else if (const Mutual mutual = mutual_parts(report, group, parts); mutual.other != nullptr) {
        text.add("two threads look at what the other writes: ");
        add_mutual(text, report, group, mutual);
        text.add("; ").add(kCopies);
    } else if (hot->writers <= 1) {
        text.add("one thread writes what others read (");
        add_part(text, report, group, *hot);
        text.add("): write only when the value changes, or let readers look less often");
    } else if (hot->adds && hot->adds_and_tells) {
        text.add("several threads add to ");
        add_part(text, report, group, *hot);
        // Code without optimisation keeps the value in its frame, used or not.
        text.add(": where the value that they get is used, let each take several at a time; else ")
            .add("keep a copy for each thread and combine them at the end");
    } else if (hot->adds) {
        text.add("several threads only add to ");
        add_part(text, report, group, *hot);
        text.add(": keep a copy for each thread, on a line of its own, and combine them at the end");
        return is_alone(group, parts, *hot);
    } else {
        text.add("several threads change ");
        add_part(text, report, group, *hot);
        add_where(text, report, group);
    }
    return false;
}

void capitalise(rt::Text& text, usize from) {
    const char first = text.c_str()[from];
    if (first < 'a' || first > 'z') return;
    rt::Text rest;
    rest.add(text.c_str() + from + 1);
    text.cut(from);
    text.add(static_cast<char>(first - 'a' + 'A')).add(rest.c_str());
}

}  // namespace

void add_names(rt::Text& text, const SharingReport& report, const ReportGroup& group) {
    add_names_of(text, report, group, is_any);
}

void add_what(rt::Text& text, const SharingReport& report, const ReportGroup& group) {
    if (group.kind == findings::FindingKind::FalseSharing) {
        rt::Vector<UsedPart> parts;
        collect_parts(parts, report, group);
        if (const ObjectId hinders = hindered_by(report, group, parts); hinders != ObjectId::None) {
            add_names(text.add("False sharing of "), report, group);
            add_object_name(text.add(" beside "), object(hinders));
            return;
        }
        text.add(has_neighbours(report, group, parts) ? "False sharing between " : "False sharing inside ");
    } else {
        text.add(group.kind == findings::FindingKind::TrueSharing ? "True sharing of " : "Contention on ");
    }
    add_names(text, report, group);
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

u64 add_advice(rt::Text& text, const SharingReport& report, const ReportGroup& group) {
    const usize from = text.size();
    rt::Vector<UsedPart> parts;
    collect_parts(parts, report, group);
    const View leading = group.figures.leading();
    const CoherenceCounts& counts = kinds_counted(group);
    const u64 all = counts.true_events() + counts.false_events();
    u64 removed = report.settings.sharing ? counts.removable() : 0;
    const char* const events = leading == View::Modelled ? " modelled events" : " observed events";
    if (!report.settings.sharing) {
        text.add("run without --sharing=no to learn whether a better layout helps");
        capitalise(text, from);
        return 0;
    }
    const bool layout = group.kind == findings::FindingKind::FalseSharing;
    Change locks;
    if (const u64 parted = advise_locks(text, report, group, &locks); parted != 0) {
        removed = parted;
        text.add(": removes about ").add_number(removed).add(" of ").add_number(all).add(events);
        add_change(text, report, group, locks);
    } else if (group.synchronises) {
        text.add(
            "threads take turns or wait for each other here: do so less often, for more work at a time, or ");
        text.add("divide what is protected");
        add_hindered(text, report, group);
    } else if (advise_copies(text, report, group, parts)) {
        removed = all;
        text.add(": removes ").add_number(removed).add(" of ").add_number(all).add(events);
        add_change(text, report, group);
    } else if (Change one; const u64 both = advise_mutual(text, report, group, parts, &one)) {
        removed = std::min(both, all);
        text.add(": both together remove about ").add_number(removed).add(" of ").add_number(all).add(events);
        add_change(text, report, group, one);
    } else if (!layout) {
        if (advise_algorithm(text, report, group, parts)) {
            removed = all;
            text.add(": removes ").add_number(removed).add(" of ").add_number(all).add(events);
        } else if (removed * 10 >= all && removed > 0 && advise_read_only(text, report, group, parts)) {
            text.add_number(removed).add(" of ").add_number(all).add(events);
        } else {
            removed = 0;
        }
    } else if (Change change; advise_layout(text, report, group, parts, &change)) {
        text.add(": removes ").add_number(removed).add(" of ").add_number(all).add(events);
        add_change(text, report, group, change);
    } else {
        text.cut(from);
        text.add("threads meet within lines of ");
        add_names(text, report, group);
        text.add(", at no regular distance");
        add_where(text, report, group);
        removed = 0;
    }
    capitalise(text, from);
    return removed;
}

}  // namespace memspy::contention
