// SPDX-License-Identifier: GPL-2.0-or-later

#include "analyses/contention/advice.h"

#include <algorithm>

namespace memspy::contention {
namespace {

constexpr u32 kMostNames = 8;
constexpr u64 kSmallElement = 32;  // bytes; larger parts may also be rows of a matrix
constexpr u32 kSeveral = ~u32{0};  // in place of a thread

// Adjacent bytes of one block or symbol that are used by the same thread, or by several threads. In the
// latter case all are written or all are only read.
struct UsedPart {
    Address begin = 0, end = 0;
    Address start = 0;  // of the block or symbol
    ObjectId object{};
    u64 line = 0;
    u32 thread = 0;  // or kSeveral
    u32 writers = 0;
    bool read = false, written = false;
    bool updated = false;  // a thread that writes it also reads it
    u64 stores = 0;        // of all threads to its most used byte
};

struct User {
    u32 thread;
    AccessCounts accesses;
};

// The threads that use one byte. Threads that use it very seldom are left out, such as one that zeroes
// everything before the others start, because no layout would change anything for them. But even few writes
// may take the line from many readers, so they count in proportion to the line's events.
struct ByteUse {
    u32 thread = 0;  // 0: none
    u32 writers = 0;
    bool read = false, written = false, updated = false;
    u64 stores = 0;
};

ByteUse use_of(const rt::Vector<User>& users, u64 line_accesses, u64 line_events) {
    u64 all = 0, stores = 0;
    for (const User& user : users) {
        all += user.accesses.all();
        stores += user.accesses.stores;
    }
    // Whether the writes are frequent in proportion to the line's events. A few writes never are.
    const auto matters = [line_events](u64 writes) { return writes >= 8 && writes * 1000 >= line_events; };
    ByteUse use;
    use.stores = stores;
    if (all * 1000 < line_accesses && !matters(stores)) return use;
    for (const User& user : users) {
        const bool writes = user.accesses.stores * 1000 >= all || matters(user.accesses.stores);
        if (user.accesses.all() * 100 < all && !(writes && matters(user.accesses.stores))) continue;
        const bool reads = user.accesses.loads * 1000 >= all;
        use.thread = use.thread == 0 && user.thread != 0 ? user.thread : kSeveral;  // 0: many ended ones
        use.read |= reads;
        if (writes && user.accesses.stores > 0) {
            ++use.writers;
            use.written = true;
            use.updated |= reads;
        }
    }
    return use;
}

// Adds the parts of one group's objects. Other bytes of the line do not concern the group.
void add_parts(rt::Vector<UsedPart>& parts, const SharingReport& report, const ReportLine& line, u32 group) {
    const Address base = line.line * report.settings.line_bytes;
    const u64 accesses = line.figures.accesses.all();
    const usize first_part = parts.size();
    rt::Vector<User> users;
    for (u32 byte = 0; byte < report.settings.line_bytes; ++byte) {
        while (!users.empty()) users.pop_back();
        const ReportRange* owner = nullptr;
        for (u32 i = line.ranges.begin; i < line.ranges.end; ++i) {
            const ReportRange& range = report.ranges[i];
            if (range.first > byte) break;
            if (byte - range.first >= range.bytes || range.group != group) continue;
            owner = &range;
            User* user = std::find_if(users.begin(), users.end(),
                                      [&](const User& known) { return known.thread == range.thread; });
            if (user == users.end()) {
                users.push_back({range.thread, {}});
                user = &users.back();
            }
            user->accesses.loads += range.accesses.loads;
            user->accesses.stores += range.accesses.stores;
        }
        if (owner == nullptr) continue;
        const ByteUse use = use_of(users, accesses, line.figures.peak());
        if (use.thread == 0) continue;
        // A hole between bytes of one thread belongs to that thread's part.
        if (parts.size() > first_part) {
            UsedPart& last = parts.back();
            if (last.thread == use.thread && last.start == owner->start &&
                (use.thread != kSeveral || last.written == use.written)) {
                last.end = base + byte + 1;
                last.written |= use.written;
                last.read |= use.read;
                last.updated |= use.updated;
                last.writers = std::max(last.writers, use.writers);
                last.stores = std::max(last.stores, use.stores);
                continue;
            }
        }
        parts.push_back({.begin = base + byte,
                         .end = base + byte + 1,
                         .start = owner->start,
                         .object = owner->object,
                         .line = line.line,
                         .thread = use.thread,
                         .writers = use.writers,
                         .read = use.read,
                         .written = use.written,
                         .updated = use.updated,
                         .stores = use.stores});
    }
}

void collect_parts(rt::Vector<UsedPart>& parts, const SharingReport& report, const ReportGroup& group) {
    const u32 number = static_cast<u32>(&group - report.groups.data());
    for (u32 i = group.lines.begin; i < group.lines.end; ++i)
        add_parts(parts, report, report.lines[i], number);
    std::sort(parts.begin(), parts.end(),
              [](const UsedPart& a, const UsedPart& b) { return a.begin < b.begin; });
}

struct Kinds {
    u32 heap = 0, variables = 0, others = 0;
    bool several_blocks = false;  // on the heap: more than one block
};

Kinds kinds_of(const SharingReport& report, const ReportGroup& group) {
    Kinds kinds;
    for (u32 i = group.objects.begin; i < group.objects.end; ++i) {
        const Object& owner = object(report.objects[i].id);
        if (owner.kind == Object::StorageKind::Heap) {
            ++kinds.heap;
            kinds.several_blocks |= owner.blocks > 1;
        } else if (owner.kind == Object::StorageKind::Static && !is_section(owner)) {
            ++kinds.variables;
        } else {
            ++kinds.others;
        }
    }
    kinds.several_blocks |= kinds.heap > 1;
    return kinds;
}

// Whether the test holds for two successive parts in a line that matters in the group. The group's lines are
// sorted by their peaks.
template <typename Test>
bool any_meet(const SharingReport& report, const ReportGroup& group, const rt::Vector<UsedPart>& parts,
              Test test) {
    constexpr u64 kMatters = 20;  // a line matters with this percentage of the worst line's events
    for (u32 number = group.lines.begin; number < group.lines.end; ++number) {
        const ReportLine& line = report.lines[number];
        if (line.figures.peak() * kMatters < report.lines[group.lines.begin].figures.peak()) break;
        for (usize i = 1; i < parts.size(); ++i)
            if (parts[i].line == line.line && parts[i - 1].line == line.line && test(parts[i - 1], parts[i]))
                return true;
    }
    return false;
}

// There are parts of more than one block or symbol. If blocks rarely meet, aligning them does not help.
bool has_neighbours(const SharingReport& report, const ReportGroup& group,
                    const rt::Vector<UsedPart>& parts) {
    return any_meet(report, group, parts,
                    [](const UsedPart& a, const UsedPart& b) { return a.start != b.start; });
}

// Parts of one block or symbol interfere with each other: aligning it does not separate them.
bool is_divided_inside(const SharingReport& report, const ReportGroup& group,
                       const rt::Vector<UsedPart>& parts) {
    return any_meet(report, group, parts, [](const UsedPart& a, const UsedPart& b) {
        return a.start == b.start && (a.written || b.written);
    });
}

// The distance between successive parts of different threads if it is the same for most of them, else 0. A
// part that is cut off by a line's edge begins in the line before.
struct ElementStride {
    u64 bytes = 0;
    u32 seen = 0;
};

// Elements of one block or variable that have some members which several threads use now and then, or that
// begin with a member which is hardly used: each element has at most one thread of its own.
ElementStride element_of(const rt::Vector<UsedPart>& parts) {
    rt::Vector<u64> distances;
    const UsedPart* previous = nullptr;
    for (const UsedPart& part : parts) {
        if (part.start != parts[0].start) return {};
        if (part.thread == kSeveral) continue;
        if (previous != nullptr && previous->thread != part.thread)
            distances.push_back(part.begin - previous->begin);
        if (previous == nullptr || previous->thread != part.thread) previous = &part;
    }
    if (distances.size() < 2) return {};
    std::sort(distances.begin(), distances.end());
    const u64 element = distances[distances.size() / 2];
    u64 last_seen = ~u64{0};
    u32 owner = 0, elements = 0;
    for (const UsedPart& part : parts) {
        if (part.thread == kSeveral) continue;
        const u64 first = (part.begin - part.start) / element, last = (part.end - 1 - part.start) / element;
        if (first == last_seen && owner != part.thread) return {};
        if (first != last_seen) ++elements;
        elements += static_cast<u32>(last - first);
        last_seen = last;
        owner = part.thread;
    }
    return elements >= 3 ? ElementStride{element, elements - 1} : ElementStride{};
}

ElementStride stride_of(const rt::Vector<UsedPart>& parts, u64 line_bytes) {
    rt::Vector<u64> distances;
    const UsedPart* previous = nullptr;
    for (usize i = 0; i < parts.size(); ++i) {
        const UsedPart& part = parts[i];
        // A thread's part may continue behind a hole, or in the next line.
        if (previous != nullptr && previous->start == part.start && previous->thread == part.thread) continue;
        const bool joined = i > 0 && parts[i - 1].end == part.begin && parts[i - 1].start == part.start;
        const bool cut = part.begin % line_bytes == 0 && part.begin != part.start && !joined;
        if (cut || part.thread == kSeveral) {
            previous = nullptr;
            continue;
        }
        if (previous != nullptr && previous->start == part.start)
            distances.push_back(part.begin - previous->begin);
        previous = &part;
    }
    if (!distances.empty()) {
        std::sort(distances.begin(), distances.end());
        const u64 middle = distances[distances.size() / 2];
        u32 same = 0;
        for (u64 distance : distances) same += distance == middle ? 1 : 0;
        if (same >= 2 && same * 10 >= distances.size() * 8) return {middle, same};
    }
    return element_of(parts);
}

void add_thread(rt::Text& text, u32 thread) {
    if (thread == kSeveral)
        text.add("several threads");
    else
        text.add("thread ").add_number(thread);
}

void add_bytes(rt::Text& text, const UsedPart& part) {
    const u64 first = part.begin - part.start, last = part.end - part.start - 1;
    if (first == last)
        text.add("byte ").add_number(first);
    else
        text.add("bytes ").add_number(first).add("..").add_number(last);
}

u64 rounded_up(u64 bytes, u64 unit) { return (bytes + unit - 1) / unit * unit; }

// One thread writes some bytes of a line; all other bytes are only read. Returns the written part.
const UsedPart* only_written(const rt::Vector<UsedPart>& parts) {
    const UsedPart* written = nullptr;
    bool reads = false;
    for (const UsedPart& part : parts) {
        if (!part.written) {
            reads = true;
            continue;
        }
        if (part.thread == kSeveral && part.writers > 1) return nullptr;
        if (written != nullptr && (written->start != part.start || written->thread != part.thread))
            return nullptr;
        if (written == nullptr) written = &part;
    }
    return reads ? written : nullptr;
}

void add_part_name(rt::Text& text, const UsedPart& part) { add_object_name(text, object(part.object)); }

// What one thread uses alone lies in the worst line beside what several use, such as a lock and its data.
bool advise_moving_own(rt::Text& text, const SharingReport& report, const ReportGroup& group,
                       const rt::Vector<UsedPart>& parts) {
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
    if (own == nullptr || first == nullptr || (first->begin < own->begin && own->begin < last->begin))
        return false;
    text.add("move ");
    add_bytes(text, *own);
    text.add(" of ");
    add_part_name(text, *own);
    text.add(", which only ");
    add_thread(text, own->thread);
    text.add(" uses, to a line of their own (alignas(").add_number(report.settings.line_bytes);
    text.add(")); what several threads use (bytes ").add_number(first->begin - first->start);
    text.add("..").add_number(last->end - last->start - 1).add(") may stay together");
    return true;
}

// Returns false if no layout is known to help.
bool advise_layout(rt::Text& text, const SharingReport& report, const ReportGroup& group,
                   const rt::Vector<UsedPart>& parts) {
    const u64 line = report.settings.line_bytes;
    const Kinds kinds = kinds_of(report, group);
    const bool neighbours =
        has_neighbours(report, group, parts) || (parts.empty() && group.objects.size() > 1);
    const UsedPart* written = neighbours && kinds.heap > 0 ? nullptr : only_written(parts);
    if (written != nullptr) {
        text.add("separate what is written (");
        add_bytes(text, *written);
        text.add(" of ");
        add_part_name(text, *written);
        text.add(") from what is only read: move it to a line of its own (alignas(")
            .add_number(line)
            .add("))");
        return true;
    }
    if (neighbours) {
        if (kinds.heap == 0 && group.objects.size() == 1) {
            text.add("give ");
            add_names(text, report, group);
            text.add(" a cache line of its own (alignas(").add_number(line).add(") and padding)");
        } else if (kinds.heap == 0) {
            text.add("align ");
            add_names(text, report, group);
            text.add(" to ").add_number(line).add(" bytes each (alignas(").add_number(line).add("))");
        } else if (kinds.variables + kinds.others == 0) {
            text.add("align the blocks to ")
                .add_number(line)
                .add(" bytes and round their sizes up to a multiple of ");
            text.add_number(line).add(" (aligned_alloc, or alignas(").add_number(line).add(") on the type)");
        } else {
            text.add("give ");
            add_names(text, report, group);
            text.add(" cache lines of their own (alignas(").add_number(line);
            text.add("), aligned_alloc and sizes that are multiples of ").add_number(line).add(")");
        }
        if (is_divided_inside(report, group, parts))
            text.add("; inside them, too, parts of different threads need lines of their own");
        return true;
    }
    const ElementStride stride = stride_of(parts, line);
    if (stride.seen >= 2) {
        const bool element = stride.bytes <= 4096;
        if (stride.bytes % line == 0) {
            text.add("align ");
            add_part_name(text, parts[0]);
            text.add(" to ").add_number(line).add(" bytes: ");
            text.add(element ? "its elements of " : "its threads' parts of ").add_number(stride.bytes);
            text.add(" bytes begin in the middle of lines");
        } else {
            const char* const what = !element                       ? "thread's part"
                                     : stride.bytes > kSmallElement ? "element or row"
                                                                    : "element";
            text.add("pad each ").add(what).add(" of ");
            text.add_number(stride.bytes).add(stride.bytes == 1 ? " byte" : " bytes").add(" to ");
            text.add_number(rounded_up(stride.bytes, line)).add(" and align the first to ").add_number(line);
            if (element) text.add(" (alignas(").add_number(line).add(") on the element's type)");
        }
        return true;
    }
    // Two threads' parts of a large object that meet within a line.
    if (parts.size() >= 2) {
        const Object& owner = object(parts[0].object);
        bool meet = owner.size > 4 * line;
        u32 touching = 0;
        for (usize i = 1; i < parts.size() && meet; ++i) {
            if (parts[i].line != parts[i - 1].line) continue;
            ++touching;
            meet = parts[i - 1].begin % line < line / 8 && line - 1 - (parts[i].end - 1) % line < line / 8 &&
                   (i + 1 == parts.size() || parts[i + 1].line != parts[i].line);
        }
        if (meet && touching > 0) {
            text.add("let each thread's part of ");
            add_part_name(text, parts[0]);
            text.add(" begin at a multiple of ").add_number(line).add(" bytes");
            return true;
        }
    }
    if (advise_moving_own(text, report, group, parts)) return true;
    // The members that meet in the worst line. For a large object, byte offsets would mean nothing.
    constexpr u64 kLargestStructure = 4096;
    u32 listed = 0;
    const UsedPart* named = nullptr;
    for (const UsedPart& part : parts) {
        if (group.lines.size() == 0 || part.line != report.lines[group.lines.begin].line) continue;
        if (part.end - part.start > kLargestStructure) return false;
        if (listed == 4) {
            text.add(", ...");
            break;
        }
        text.add(listed == 0 ? "put " : ", ");
        add_bytes(text, part);
        text.add(" (");
        add_thread(text, part.thread);
        text.add(")");
        named = &part;
        ++listed;
    }
    if (listed == 0) {
        text.add("put parts of different threads on lines of their own (alignas(").add_number(line).add("))");
        return true;
    }
    text.add(" of ");
    add_part_name(text, *named);
    text.add(" on lines of their own (alignas(").add_number(line).add(") on each)");
    return true;
}

void advise_algorithm(rt::Text& text, const SharingReport& report, const ReportGroup& group,
                      const rt::Vector<UsedPart>& parts) {
    // The bytes of the worst line with the most writes show the kind of exchange. (A lock beside them may
    // have more writers, but few writes.)
    const UsedPart* hot = nullptr;
    for (const UsedPart& part : parts)
        if (part.thread == kSeveral && part.written &&
            (group.lines.size() == 0 || part.line == report.lines[group.lines.begin].line) &&
            (hot == nullptr || part.stores > hot->stores))
            hot = &part;
    if (hot == nullptr) {
        text.add("threads exchange data here: hand it over less often, in larger pieces");
        return;
    }
    if (hot->writers <= 1) {
        text.add("one thread writes what others read (");
        add_bytes(text, *hot);
        text.add(" of ");
        add_part_name(text, *hot);
        text.add("): write only when the value changes, or let readers look less often");
    } else if (hot->updated) {
        text.add("several threads update ");
        add_bytes(text, *hot);
        text.add(" of ");
        add_part_name(text, *hot);
        text.add(": keep a copy for each thread, on a line of its own, and combine them at the end");
    } else {
        text.add("several threads write ");
        add_bytes(text, *hot);
        text.add(" of ");
        add_part_name(text, *hot);
        text.add(": test before writing, or keep a copy for each thread");
    }
}

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
    text.add(" away from it (alignas(").add_number(report.settings.line_bytes).add(")): ");
    text.add_number(most->hindered).add(" of these events are its own, and false sharing");
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
    u32 order[kMostNames];
    u32 count = 0;
    // Heap objects have one common name, so it is added once, at the end.
    const Kinds kinds = kinds_of(report, group);
    for (u32 i = group.objects.begin; i < group.objects.end && count < kMostNames; ++i)
        if (object(report.objects[i].id).kind != Object::StorageKind::Heap) order[count++] = i;
    std::sort(order, order + count, [&](u32 a, u32 b) {
        const Address left = report.objects[a].address - 1, right = report.objects[b].address - 1;
        return left != right ? left < right : a < b;
    });
    const bool more = kinds.variables + kinds.others > count;
    const u32 items = count + (kinds.heap > 0 ? 1 : 0) + (more ? 1 : 0);
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
        text.add(kinds.several_blocks ? "heap blocks" : "a heap block");
    }
    if (more) {
        separate();
        text.add("others");
    }
}

void add_what(rt::Text& text, const SharingReport& report, const ReportGroup& group) {
    if (group.kind == findings::FindingKind::FalseSharing) {
        rt::Vector<UsedPart> parts;
        collect_parts(parts, report, group);
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
        text.add(", ").add_percent(kinds.false_events(), kinds.true_events() + kinds.false_events());
        text.add(" false sharing");
    }
    if (group.all_lines > 0)
        text.add(", in ")
            .add_number(group.all_lines)
            .add(group.all_lines == 1 ? " cache line" : " cache lines");
}

void add_advice(rt::Text& text, const SharingReport& report, const ReportGroup& group) {
    const usize from = text.size();
    rt::Vector<UsedPart> parts;
    collect_parts(parts, report, group);
    const View leading = group.figures.leading();
    const CoherenceCounts& counts = kinds_counted(group);
    if (!report.settings.sharing) {
        text.add("run without --sharing=no to learn whether a better layout helps");
        return capitalise(text, from);
    }
    const bool layout = group.kind == findings::FindingKind::FalseSharing;
    if (group.synchronises) {
        text.add(
            "threads take turns or wait for each other here: do so less often, for more work at a time, or ");
        text.add("divide what is protected");
        add_hindered(text, report, group);
        return capitalise(text, from);
    }
    if (layout && !advise_layout(text, report, group, parts)) {
        text.cut(from);
        text.add("threads meet within lines of ");
        add_names(text, report, group);
        text.add(", at no regular distance: let each thread have whole lines of ")
            .add_number(report.settings.line_bytes)
            .add(" bytes, where the code divides the work");
        return capitalise(text, from);
    }
    if (!layout) advise_algorithm(text, report, group, parts);
    capitalise(text, from);
    const u64 all = counts.true_events() + counts.false_events();
    if (layout)
        text.add(": removes ").add_number(group.removable).add(" of ").add_number(all);
    else if (group.removable * 10 >= all && group.removable > 0)
        text.add("; own lines for its neighbours remove ")
            .add_number(group.removable)
            .add(" of ")
            .add_number(all);
    else
        return;
    text.add(leading == View::Modelled ? " modelled events" : " observed events");
}

}  // namespace memspy::contention
