// SPDX-License-Identifier: GPL-2.0-or-later
#include "remedies/advise_elements.h"

#include <algorithm>
#include <iterator>
#include <numeric>

#include "rt/prefix.h"

namespace memspy::remedies {

using advice::Advice;
using advice::Remedy;

namespace {

constexpr u32 kElementsOfRow = 4;
constexpr u64 kLargestRow = 4096;  // bytes; larger ones are not padded
constexpr u64 kFewestPortions = 16;

u64 rounded_up(u64 bytes, u64 unit) { return (bytes + unit - 1) / unit * unit; }

// The part that shows best how the object is used: parts may be cut off by lines.
const UsedPart& longest(const Parts& parts) {
    return *std::max_element(parts.begin(), parts.end(),
                             [](const UsedPart& a, const UsedPart& b) { return a.bytes() < b.bytes(); });
}

// By the first part that debug information knows: others may be copies that the compiler has made on the
// stack.
bool name_element(places::ElementName& element, const AdviceCase& c, const Parts& parts, u64 stride) {
    return c.report.settings.name_element != nullptr &&
           std::any_of(parts.begin(), parts.end(), [&](const UsedPart& part) {
               return c.report.settings.name_element(element, part.object, c.code(), part.begin - part.start,
                                                     stride);
           });
}

void set_element(AdviceCase& c, Advice& to, places::ElementName& element) {
    to.array = c.report.keep(element.array);
    to.type = c.report.keep(element.type);
}

void advise_padding(AdviceCase& c, places::ElementName& element, u64 stride) {
    if (stride % c.line_bytes == 0) {
        c.advise(Remedy::AlignElements).stride = stride;
        return;
    }
    Advice& to = c.advise(Remedy::PadElements);
    to.stride = stride;
    to.bytes = rounded_up(stride, c.line_bytes);
    // Without alignment only a whole line of padding keeps apart what may cross a line's end.
    if (c.is_fortran()) to.bytes = stride <= 8 ? c.line_bytes : to.bytes + c.line_bytes;
    set_element(c, to, element);
}

// Elements of an array, or rows of a matrix, at equal distances. `several`: each has several elements by its type.
void advise_stride(AdviceCase& c, const Parts& parts, u64 stride, bool several = false) {
    const UsedPart& part = longest(parts);
    places::ElementName element;
    name_element(element, c, parts, stride);
    // A structure with members of one width looks like a row.
    const bool row = (is_row(part) || several) && !advice::is_record(element.type.c_str());
    if (!row) {
        advise_padding(c, element, stride);
    } else if (stride % c.line_bytes == 0) {
        c.advise(Remedy::AlignRows).stride = stride;
    } else {
        Advice& made = c.advise(Remedy::WidenRows);
        made.stride = stride;
        // Without alignment a row begins where an allocator puts it.
        constexpr u64 kUnaligned = 48;
        made.bytes = rounded_up(c.is_fortran() ? stride + kUnaligned : stride, c.line_bytes);
        made.width = part.width;
    }
    c.plan.add(c.item(advice::ItemRole::Subject, part.object));
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
bool are_members(const AdviceCase& c, const Parts& parts) {
    rt::Text name, previous;
    const UsedPart* before = nullptr;
    for (const UsedPart& part : parts) {
        if (part.thread == kSeveral || !c.is_worst(part)) continue;
        name.reset();
        const u64 first = part.begin - part.start;
        if (!c.add_fields(name, part, first, first)) return false;
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

// The first two parts of different threads that lie beside each other in the worst line.
struct Neighbours {
    const UsedPart *one = nullptr, *other = nullptr;
};
Neighbours first_neighbours(const AdviceCase& c, const Parts& parts) {
    const UsedPart* before = nullptr;
    for (const UsedPart& part : parts) {
        if (!c.is_worst(part) || part.thread == kSeveral) continue;
        if (before != nullptr && before->start == part.start && before->thread != part.thread)
            return {before, &part};
        before = &part;
    }
    return {};
}

// The size of the elements by their type, where parts of different threads in the worst line lie in different
// ones; 0 if that is not known, or two threads have parts of one, or one thread has a range of many.
u64 typed_stride(const AdviceCase& c, const Parts& parts) {
    const auto [one, other] = first_neighbours(c, parts);
    places::ArrayElements elements;
    if (one == nullptr || c.report.settings.find_elements == nullptr ||
        !c.report.settings.find_elements(elements, one->object, c.code(), one->begin - one->start,
                                         other->begin - one->start))
        return 0;
    const Address start = one->start;
    const auto index_of = [&](Address a) {
        return static_cast<i64>(a - start - elements.first % elements.bytes) /
               static_cast<i64>(elements.bytes);
    };
    const UsedPart* before = nullptr;
    for (const UsedPart& part : parts) {
        if (!c.is_worst(part) || part.start != start || part.thread == kSeveral) continue;
        const bool several = index_of(part.begin) != index_of(part.end - 1);
        // Members of one width look like a row.
        const bool row = is_row(part) && part.width == elements.bytes;
        if ((several && (row || !is_small_array(part, elements.bytes, c.line_bytes))) ||
            (before != nullptr && before->thread != part.thread &&
             index_of(before->end - 1) == index_of(part.begin)))
            return 0;
        before = &part;
    }
    return elements.bytes;
}

// Objects made in raw storage, such as an array of bytes: the accesses are wider than its elements.
bool is_raw_storage(const AdviceCase& c, const Parts& parts) {
    const auto [one, other] = first_neighbours(c, parts);
    places::ArrayElements elements;
    return one != nullptr && c.report.settings.find_elements != nullptr &&
           c.report.settings.find_elements(elements, one->object, c.code(), one->begin - one->start,
                                           other->begin - one->start) &&
           one->width > elements.bytes && other->width > elements.bytes;
}

// Parts of so many threads lie in the worst line.
usize parts_in_worst_line(const AdviceCase& c, const Parts& parts) {
    return static_cast<usize>(std::count_if(parts.begin(), parts.end(), [&](const UsedPart& part) {
        return part.thread != kSeveral && c.is_worst(part);
    }));
}

// Of two threads that write one part each in the worst line: nothing but the names tells that these are
// elements of an array. Its parts; none for others.
void collect_named_elements(Parts& elements, const AdviceCase& c, const Parts& parts) {
    const UsedPart *one = nullptr, *other = nullptr;
    for (const UsedPart& part : parts) {
        if (part.thread == kSeveral || !part.written || !c.is_worst(part)) continue;
        if (other != nullptr) return;
        (one == nullptr ? one : other) = &part;
    }
    if (other == nullptr || one->start != other->start || one->thread == other->thread ||
        one->bytes() != other->bytes())
        return;
    rt::Text names[2];
    if (!c.add_fields(names[0], *one) || !c.add_fields(names[1], *other) ||
        !differ_in_index(names[0].c_str(), names[1].c_str()))
        return;
    elements.push_back(*one);
    elements.push_back(*other);
}

// Several threads write parts of the worst line, and not much less than each writes its own.
bool have_common_parts(const AdviceCase& c, const Parts& parts) {
    constexpr u64 kLess = 4;
    u64 own = 0, common = 0;
    for (const UsedPart& part : parts) {
        if (!c.is_worst(part) || !part.written) continue;
        u64& most = part.thread == kSeveral && part.writers > 1 ? common : own;
        most = std::max(most, part.stores);
    }
    return common * kLess >= own && common != 0;
}

// The elements of a large array go to the threads in turn.
bool are_dealt_out(const Parts& parts) {
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

void advise_dealing(AdviceCase& c, const Parts& parts, u64 stride) {
    Advice& made = c.advise(Remedy::DealOut);
    made.stride = stride;
    made.bytes = std::lcm(stride, c.line_bytes);
    if (places::ElementName element; name_element(element, c, parts, stride)) set_element(c, made, element);
    c.plan.add(c.item(advice::ItemRole::Subject, longest(parts).object));
}

// "counts", an array whose elements are in these bytes.
advice::AdviceItem array_item(AdviceCase& c, const UsedPart& part, u64 first, u64 last) {
    advice::AdviceItem array = c.item(part, first, last);
    rt::Text element;
    if (!c.add_fields(element, part, first, first)) return array;
    usize end = element.size();
    const char* name = element.c_str();
    if (end > 0 && (name[end - 1] == ']' || name[end - 1] == ')'))
        while (end > 0 && name[end] != '[' && name[end] != '(') --end;
    element.cut(end);
    if (!element.empty()) array.fields = c.report.keep(element);
    return array;
}

// Shares of a large object that meet within a line, each a row of equal elements.
bool are_borders(const Parts& parts, u64 line) {
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

}  // namespace

bool is_row(const UsedPart& part) {
    return part.width != 0 && part.elements >= kElementsOfRow && part.elements * part.width == part.bytes();
}

bool advise_elements(AdviceCase& c, const Parts& parts) {
    if (!c.has_lines()) return false;
    const bool regular = is_regular(parts, c.worst_line());
    u64 stride = regular ? stride_of(parts, c.line_bytes) : 0;
    // Elements between them may be unused, those that tasks take lie at any distance, and some of their
    // members may be used by several threads. What lies in raw storage has the storage's type only by name:
    // two objects there are no elements of one array.
    const bool raw = is_raw_storage(c, parts);
    if (raw && parts_in_worst_line(c, parts) < 3) return false;
    const u64 typed = raw ? 0 : typed_stride(c, parts);
    const UsedPart& part = longest(parts);
    const bool several = typed != 0 && stride > typed && stride % typed == 0 && part.width == typed &&
                         part.bytes() > typed && part.bytes() <= stride;
    if (typed != 0 && !several) stride = typed;
    if (raw && stride == 0) return false;
    if (stride == 0) {
        Parts named;
        collect_named_elements(named, c, parts);
        if (named.empty()) return false;
        advise_stride(c, named, named[1].begin - named[0].begin);
        return true;
    }
    // What is longer than the distance from thread to thread is no element: threads work here and there. Nor
    // do elements help of which several threads write a part.
    if (stride > kLargestRow || (is_row(part) && part.bytes() > stride && typed == 0) ||
        have_common_parts(c, parts) || are_members(c, parts))
        return false;
    places::ElementName element;
    const bool few_structures = is_small_array(part, stride, c.line_bytes) &&
                                name_element(element, c, parts, stride) &&
                                advice::is_record(element.type.c_str());
    if (are_dealt_out(parts) && !few_structures)
        advise_dealing(c, parts, stride);
    else
        advise_stride(c, parts, stride, several);
    return true;
}

bool advise_arrays(AdviceCase& c) {
    const ThreadArrays arrays = thread_arrays_of(c.parts);
    if (arrays.count == 0) return false;
    c.advise(Remedy::JoinArrays).bytes = c.line_bytes;
    // Columns may be known by the name of the whole only.
    for (u32 i = 0; i < arrays.count; ++i) {
        const advice::AdviceItem array = array_item(c, c.parts[0], arrays.first[i], arrays.last[i]);
        const char* const before = i == 0 ? "" : c.plan.items.back().fields;
        if (array.fields[0] == '\0' || !rt::starts_with(array.fields, before) ||
            !rt::starts_with(before, array.fields))
            c.plan.add(array);
    }
    return true;
}

const UsedPart* advise_bits(AdviceCase& c) {
    const auto is_of_bits = [&](u32 side) {
        return side < c.report.rows.size() &&
               c.report.settings.is_bit_code(c.report.rows[side].place.instruction);
    };
    if (c.report.settings.is_bit_code == nullptr ||
        std::none_of(std::begin(c.group.sides), std::end(c.group.sides), is_of_bits))
        return nullptr;
    const UsedPart* most = nullptr;
    for (const UsedPart& part : c.parts)
        if (c.is_worst(part) && (most == nullptr || part.stores > most->stores)) most = &part;
    u64 writers = 0;
    for (const UsedPart& part : c.parts)
        if (most != nullptr && part.start == most->start) writers |= part.writing_set;
    if ((writers & (writers - 1)) == 0) return nullptr;
    c.advise(Remedy::DealBits);
    c.plan.add(c.item(advice::ItemRole::Subject, most->object));
    return most;
}

// Only two or three threads' shares in the worst lines, though they may leave bytes alone, as the inner cells
// of a grid.
bool advise_shares(AdviceCase& c) {
    const bool far_apart =
        is_regular(c.parts, c.worst_line()) && stride_of(c.parts, c.line_bytes) > kLargestRow;
    if (!far_apart && !are_borders(c.parts, c.line_bytes)) return false;
    const UsedPart& part = longest(c.parts);
    c.advise(Remedy::AlignShares).width = part.width;
    c.plan.add(c.item(advice::ItemRole::Subject, part.object));
    return true;
}

// Rows of equal elements, of which threads have shares, and some of which they look at in others' shares.
bool advise_any_shares(AdviceCase& c) {
    if (c.parts.empty()) return false;
    const UsedPart& part = longest(c.parts);
    u64 in_rows = 0, others = 0;
    for (const UsedPart& each : c.parts)
        if (each.thread != kSeveral) (is_row(each) ? in_rows : others) += each.bytes();
    if (in_rows < others || c.group.objects.size() != 1 || object(part.object).size <= 4 * c.line_bytes)
        return false;
    c.advise(Remedy::AlignShares).width = part.width;
    c.plan.add(c.item(advice::ItemRole::Subject, part.object));
    return true;
}

bool advise_locks(AdviceCase& c) {
    const LockArray& array = c.group.lock_array;
    if (!array.any() || c.is_fortran()) return false;
    places::ElementName element;
    if (c.report.settings.name_element != nullptr)
        c.report.settings.name_element(element, array.object, c.code(), array.offset, array.stride);
    advise_padding(c, element, array.stride);
    c.plan.add(c.item(advice::ItemRole::Subject, array.object));
    return true;
}

void collect_divided(Parts& divided, const AdviceCase& c) {
    const UsedPart *before = nullptr, *found = nullptr;
    for (const UsedPart& part : c.parts) {
        if (part.thread == kSeveral || !c.is_worst(part)) continue;
        if (before != nullptr && before->thread != part.thread && (before->written || part.written) &&
            before->start == part.start) {
            if (found != nullptr && found->start != part.start) return;
            found = &part;
        }
        before = &part;
    }
    if (found == nullptr) return;
    for (const UsedPart& part : c.parts)
        if (found->start == part.start) divided.push_back(part);
}

}  // namespace memspy::remedies
