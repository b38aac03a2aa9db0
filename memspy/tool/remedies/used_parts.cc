// SPDX-License-Identifier: GPL-2.0-or-later
#include "remedies/used_parts.h"

#include <algorithm>

namespace memspy::remedies {
namespace {

struct User {
    u32 thread;
    AccessCounts accesses;
    bool stored_first;
    AccessCounts sums;
    bool sums_told;
};

// The threads that use one byte. Threads that use it very seldom are left out, such as one that zeroes
// everything before the others start, because no layout would change anything for them. But even few writes
// may take the line from many readers, so they count in proportion to the line's events.
struct ByteUse {
    u32 thread = 0;  // 0: none
    u32 writers = 0, writer = 0;
    bool read = false, written = false, counts = false, adds = false, adds_and_tells = false;
    bool own_values = false, only_read_by_some = false;
    u64 stores = 0;
    u64 writing_set = 0, reading_set = 0;
};

ByteUse use_of(const rt::Vector<User>& users, u64 line_accesses, u64 line_events) {
    ByteUse use;
    AccessCounts sums{};
    u64 all = 0, stores = 0;
    for (const User& user : users) {
        all += user.accesses.all();
        stores += user.accesses.stores;
        sums.add(user.sums);
        use.adds_and_tells |= user.sums_told;
    }
    // Whether the writes are frequent in proportion to the line's events. A few writes never are.
    const auto matters = [line_events](u64 writes) { return writes >= 8 && writes * 1000 >= line_events; };
    use.stores = stores;
    // Other accesses are the first and the last ones: a thread sets it, a thread prints it. One that waits
    // until all have added may look at it more often than they add, which is little beside what happens on
    // the line: how often depends on who gets to run, so looks may be twice as many as stores.
    constexpr u64 kOthers = 20, kLooks = 10;
    use.counts = sums.stores > 0 && stores <= sums.stores + sums.stores / kOthers;
    use.adds = use.counts && all <= sums.all() + std::max(sums.all(), line_accesses) / kLooks;
    // Threads that only look at it seldom, such as one that sums up in the end. Together they may be many.
    constexpr u64 kSeldom = 8, kLookEvents = 2;
    u64 most = 0, looks = 0;
    for (const User& user : users) most = std::max(most, user.accesses.all());
    const auto looks_seldom = [&](const User& user) {
        return user.accesses.stores == 0 && user.accesses.loads * kSeldom < most;
    };
    for (const User& user : users) looks += looks_seldom(user) ? user.accesses.loads : 0;
    const bool few_looks = looks * kLookEvents * kSeldom < line_events;
    u32 stored_first = 0, readers = 0;
    if (all * 1000 < line_accesses && !matters(stores)) return use;
    for (const User& user : users) {
        const bool writes = user.accesses.stores * 1000 >= all || matters(user.accesses.stores);
        if (user.accesses.all() * 100 < all && !(writes && matters(user.accesses.stores))) continue;
        if (few_looks && looks_seldom(user)) continue;
        const bool reads = user.accesses.loads * 1000 >= all;
        if (user.stored_first) ++stored_first;
        if (reads) {
            ++readers;
            use.reading_set |= u64{1} << (user.thread & 63);
        }
        use.thread = use.thread == 0 && user.thread != 0 ? user.thread : kSeveral;  // 0: many ended ones
        use.read |= reads;
        use.only_read_by_some |= user.accesses.stores == 0;
        if (writes && user.accesses.stores > 0) {
            ++use.writers;
            use.writing_set |= u64{1} << (user.thread & 63);
            use.writer = use.writers == 1 ? user.thread : 0;
            use.written = true;
        }
    }
    use.own_values = use.thread == kSeveral && stored_first >= 2 && use.writers >= readers && readers >= 2 &&
                     stored_first + 1 >= use.writers;
    return use;
}

// One thread's index beside the items that it counts is written more often than each of these.
bool are_alike(u64 stores, u64 others) {
    constexpr u64 kFew = 8;
    return stores <= others * kFew && others <= stores * kFew;
}

// Whether bytes with this use continue the part: as those of one thread, or as what several use alike. Words that
// other threads write, such as the two ends of a queue, are another part.
bool continues(const UsedPart& part, const ByteUse& use) {
    if (part.thread != use.thread) return false;
    if (use.thread != kSeveral) return true;
    if (part.written != use.written || part.writer != use.writer) return false;
    return use.writer != 0 ? are_alike(part.stores, use.stores)
                           : !use.written || (part.writing_set & use.writing_set) != 0;
}

// Adds the parts of one group's objects. Other bytes of the line do not concern the group.
void add_parts(rt::Vector<UsedPart>& parts, const SharingReport& report, const ReportLine& line, u32 group) {
    const Address base = line.line * report.settings.line_bytes;
    const u64 accesses = line.figures.accesses.all();
    const usize first_part = parts.size();
    rt::Vector<User> users;
    for (u32 byte = 0; byte < report.settings.line_bytes; ++byte) {
        users.resize(0);
        const ReportRange* owner = nullptr;
        // Of the accesses that begin or continue here. A wide range around narrow ones may be the sum of
        // accesses that were passed together, so the narrowest tells.
        u32 width = 0, first = 0;
        for (u32 i = line.ranges.begin; i < line.ranges.end; ++i) {
            const ReportRange& range = report.ranges[i];
            if (range.first > byte) break;
            if (byte - range.first >= range.bytes || range.group != group) continue;
            owner = &range;
            if (width == 0 || range.bytes < width) width = range.bytes;
            if (range.first == byte) ++first;
            User* user = std::find_if(users.begin(), users.end(),
                                      [&](const User& known) { return known.thread == range.thread; });
            if (user == users.end()) {
                users.push_back({range.thread, {}, false, {}, false});
                user = &users.back();
            }
            user->accesses.loads += range.accesses.loads;
            user->accesses.stores += range.accesses.stores;
            user->stored_first |= range.stored_first;
            user->sums.add(range.sums);
            user->sums_told |= range.sums_told;
        }
        if (owner == nullptr) continue;
        const ByteUse use = use_of(users, accesses, line.figures.peak());
        if (use.thread == 0) continue;
        // A hole between bytes of one thread belongs to that thread's part.
        if (parts.size() > first_part) {
            UsedPart& last = parts.back();
            if (last.start == owner->start && continues(last, use)) {
                last.end = base + byte + 1;
                if (last.width != width) last.width = 0;
                if (first > 0) ++last.elements;
                last.own_values &= use.own_values;
                last.written |= use.written;
                last.read |= use.read;
                last.counts &= use.counts;
                last.adds &= use.adds;
                last.only_read_by_some |= use.only_read_by_some;
                last.adds_and_tells |= use.adds_and_tells;
                last.writers = std::max(last.writers, use.writers);
                last.stores = std::max(last.stores, use.stores);
                last.writing_set |= use.writing_set;
                last.reading_set |= use.reading_set;
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
                         .writer = use.writer,
                         .width = width,
                         .elements = 1,
                         .read = use.read,
                         .written = use.written,
                         .counts = use.counts,
                         .adds = use.adds,
                         .adds_and_tells = use.adds_and_tells,
                         .only_read_by_some = use.only_read_by_some,
                         .own_values = use.own_values,
                         .stores = use.stores,
                         .writing_set = use.writing_set,
                         .reading_set = use.reading_set});
    }
}

}  // namespace

void collect_parts(rt::Vector<UsedPart>& parts, const SharingReport& report, const ReportGroup& group) {
    const u32 number = static_cast<u32>(&group - report.groups.data());
    // In lines with next to no events even who set the bytes at first counts as a user. Lines are by peak.
    constexpr u64 kTooFew = 1000;
    for (u32 i = group.lines.begin; i < group.lines.end; ++i) {
        if (report.lines[i].figures.peak() * kTooFew < report.lines[group.lines.begin].figures.peak()) break;
        add_parts(parts, report, report.lines[i], number);
    }
    std::sort(parts.begin(), parts.end(),
              [](const UsedPart& a, const UsedPart& b) { return a.begin < b.begin; });
}

namespace {

// Whether the test holds for two successive parts in a line that matters in the group. The group's lines are
// sorted by their peaks.
template <typename Test>
bool any_meet(const SharingReport& report, const ReportGroup& group, const rt::Vector<UsedPart>& parts,
              Test test) {
    constexpr u64 kMatters = 20;  // a line matters with this part of the worst line's events
    for (u32 number = group.lines.begin; number < group.lines.end; ++number) {
        const ReportLine& line = report.lines[number];
        if (line.figures.peak() * kMatters < report.lines[group.lines.begin].figures.peak()) break;
        for (usize i = 1; i < parts.size(); ++i)
            if (parts[i].line == line.line && parts[i - 1].line == line.line && test(parts[i - 1], parts[i]))
                return true;
    }
    return false;
}

}  // namespace

bool has_neighbours(const SharingReport& report, const ReportGroup& group,
                    const rt::Vector<UsedPart>& parts) {
    return any_meet(report, group, parts,
                    [](const UsedPart& a, const UsedPart& b) { return a.start != b.start; });
}

bool is_divided_inside(const SharingReport& report, const ReportGroup& group,
                       const rt::Vector<UsedPart>& parts) {
    return any_meet(report, group, parts, [](const UsedPart& a, const UsedPart& b) {
        return a.start == b.start && (a.written || b.written);
    });
}

bool goes_round(const rt::Vector<UsedPart>& parts, u64 line) {
    constexpr u64 kHardly = 20;
    u64 most = 0, writers = 0;
    for (const UsedPart& part : parts)
        if (part.line == line) most = std::max(most, part.stores);
    for (const UsedPart& part : parts) {
        if (part.line != line || (part.stores != 0 && part.stores * kHardly < most)) continue;
        if (part.writers < 2 || (writers != 0 && part.writing_set != writers)) return false;
        writers = part.writing_set;
    }
    return writers != 0;
}

namespace {

// Elements of this size if each has at most one thread of its own, and most of them are used: what lies
// between two that are far apart is not known, and a part of their distance is no size.
u64 elements_of(const rt::Vector<UsedPart>& parts, u64 element) {
    constexpr u64 kNone = ~u64{0};
    u64 first_seen = kNone, last_seen = kNone;
    u32 owner = 0, elements = 0;
    for (const UsedPart& part : parts) {
        if (part.thread == kSeveral) continue;
        const u64 first = (part.begin - part.start) / element, last = (part.end - 1 - part.start) / element;
        if (first_seen == kNone) first_seen = first;
        if (first == last_seen && owner != part.thread) return 0;
        if (first != last_seen) ++elements;
        elements += static_cast<u32>(last - first);
        last_seen = last;
        owner = part.thread;
    }
    return elements < 3 || u64{elements} * 2 < last_seen - first_seen + 1 ? 0 : element;
}

// The threads use the same bytes of their elements or fewer, and not all of them. So one may leave out a
// member.
bool are_alike(const rt::Vector<UsedPart>& parts, u64 element) {
    u64 begin = 0, end = 0;
    for (const UsedPart& part : parts)
        if (part.thread != kSeveral && part.bytes() > end - begin) {
            begin = (part.begin - part.start) % element;
            end = begin + part.bytes();
        }
    return end - begin < element && std::all_of(parts.begin(), parts.end(), [&](const UsedPart& part) {
               const u64 at = (part.begin - part.start) % element;
               return part.thread == kSeveral || (at >= begin && at + part.bytes() <= end);
           });
}

// Elements of one block or variable that have some members which several threads use now and then, or that
// begin or end with a member which is hardly used: each element has at most one thread of its own.
u64 element_of(const rt::Vector<UsedPart>& parts) {
    rt::Vector<u64> begins, ends;                      // distances
    const UsedPart *first = nullptr, *last = nullptr;  // of one thread
    for (const UsedPart& part : parts) {
        if (part.start != parts[0].start) return 0;
        if (part.thread == kSeveral) continue;
        if (last == nullptr || last->thread != part.thread) {
            if (first != nullptr) begins.push_back(part.begin - first->begin);
            first = &part;
        }
        // The end of the thread's parts, as far as it has come.
        if (last != nullptr && last->thread == part.thread && !ends.empty())
            ends.back() += part.end - last->end;
        else if (last != nullptr && last->thread != part.thread)
            ends.push_back(part.end - last->end);
        last = &part;
    }
    if (begins.size() < 2) return 0;
    std::sort(begins.begin(), begins.end());
    const u64 middle = elements_of(parts, begins[begins.size() / 2]);
    if (middle != 0) return middle;
    std::sort(ends.begin(), ends.end());
    for (const u64 candidate : {begins[0], ends[ends.size() / 2]}) {
        if (elements_of(parts, candidate) != 0 && are_alike(parts, candidate)) return candidate;
    }
    return 0;
}

// Of two threads: as each has the same members. Parts of one width may be two variables or members as well.
u64 distance_of_two(const rt::Vector<UsedPart>& parts) {
    const UsedPart* found[2] = {};
    u32 count = 0;
    for (const UsedPart& part : parts) {
        if (part.thread == kSeveral) continue;
        if (count == 2) return 0;
        found[count++] = &part;
    }
    if (count < 2) return 0;
    const UsedPart &a = *found[0], &b = *found[1];
    const u64 distance = b.begin - a.begin;
    const bool alike = a.start == b.start && a.thread != b.thread && a.width == 0 && b.width == 0 &&
                       a.bytes() == b.bytes() && a.elements == b.elements;
    return alike && object(a.object).size % distance == 0 ? distance : 0;
}

}  // namespace

u64 stride_of(const rt::Vector<UsedPart>& parts, u64 line_bytes) {
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
        if (same >= 2 && same * 10 >= distances.size() * 8) return middle;
    }
    const u64 element = element_of(parts);
    return element != 0 ? element : distance_of_two(parts);
}

bool is_regular(const rt::Vector<UsedPart>& parts, u64 line) {
    // The threads of the line's parts; they come again in the same order, or not at all.
    rt::Vector<u32> threads;
    for (const UsedPart& part : parts)
        if (part.line == line && part.thread != kSeveral &&
            (threads.empty() || threads.back() != part.thread))
            threads.push_back(part.thread);
    usize period = 1;
    while (period < threads.size() && threads[period] != threads[0]) ++period;
    for (usize i = 0; i < threads.size(); ++i) {
        if (threads[i] != threads[i % period]) return false;
        for (usize k = i + 1; k < period; ++k)
            if (threads[i] == threads[k]) return false;
    }
    return true;
}

ThreadArrays thread_arrays_of(const rt::Vector<UsedPart>& parts) {
    // The threads of the first array end where the first thread comes again.
    usize threads = 1;
    while (threads < parts.size() && parts[threads].thread != parts[0].thread) ++threads;
    ThreadArrays arrays;
    const usize count = threads == 0 ? 0 : parts.size() / threads;
    if (threads < 2 || count < 2 || count > ThreadArrays::kMost || parts.size() % threads != 0) return {};
    for (usize i = 0; i < parts.size(); ++i) {
        const UsedPart& part = parts[i];
        if (part.thread == kSeveral || part.start != parts[0].start ||
            part.thread != parts[i % threads].thread ||
            (i % threads != 0 && part.bytes() != parts[i - 1].bytes()))
            return {};
        if (i % threads == 0) arrays.first[i / threads] = part.begin - part.start;
        arrays.last[i / threads] = part.end - part.start - 1;
    }
    arrays.count = static_cast<u32>(count);
    return arrays;
}

}  // namespace memspy::remedies
