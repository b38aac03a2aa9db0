// SPDX-License-Identifier: GPL-2.0-or-later
#include "remedies/changed_layout.h"

#include <algorithm>

namespace memspy::remedies {

using advice::Advice;
using advice::AdviceItem;
using advice::ItemRole;
using advice::Remedy;

namespace {

u64 mixed(u64 a, u64 b) {
    const u64 product = (a ^ b << 32 ^ b >> 32) * 0x9E37'79B9'7F4A'7C15u;
    const u64 key = product ^ product >> 29;
    return key == ChangedLayout::kStays || key == ChangedLayout::kCopied ? 1 : key;
}

// Whose lines the part goes to where each thread's bytes get their own.
u64 owner_of(const UsedPart& part) {
    if (part.thread != kSeveral) return part.thread;
    return part.writers == 1 ? part.writer : u64{1} << 32;
}

u64 owners_in(const Parts& parts) {
    rt::Vector<u32> owners;
    for (const UsedPart& part : parts)
        if (part.thread != kSeveral && std::find(owners.begin(), owners.end(), part.thread) == owners.end())
            owners.push_back(part.thread);
    return std::max<u64>(1, owners.size());
}

bool is_in(const AdviceItem& item, const UsedPart& part, Address a) {
    if (item.object != static_cast<u32>(part.object) && !(item.block && (item.several || item.each)))
        return false;
    return item.bytes == 0 || a - part.start - item.first < item.bytes;
}

bool is_block(ObjectId id) { return object(id).kind == Object::StorageKind::Heap; }

// The bytes of a line that go to one place.
struct PlacedBytes {
    u64 place = 0;
    u64 bytes[kMostLineWords] = {};

    bool meets(const u64* words) const {
        for (u32 i = 0; i < lines::line_words(); ++i)
            if ((bytes[i] & words[i]) != 0) return true;
        return false;
    }
};
using Holders = rt::Vector<u32>;  // serials

bool has(const Holders& threads, u32 thread) {
    return std::find(threads.begin(), threads.end(), thread) != threads.end();
}

// Who holds bytes that lie together, and who has had them.
struct PlaceState {
    Holders holders, known;

    // Returns whether the thread had them before.
    bool fetch(u32 thread) {
        if (has(known, thread)) return true;
        known.push_back(thread);
        return false;
    }
};

// The events of a stay at such bytes, without first touches.
u64 events_of(const Stay& stay, const PlacedBytes& place, PlaceState& state) {
    u64 events = 0;
    Holders& holders = state.holders;
    if (place.meets(stay.written())) {
        const bool held = has(holders, stay.storer);
        if (!held && state.fetch(stay.storer)) ++events;
        if (holders.size() > (held ? 1u : 0u)) ++events;
        holders.resize(0);
        holders.push_back(stay.storer);
    }
    for (u32 i = 0; i < stay.users; ++i) {
        if (!place.meets(stay.used(i)) || has(holders, stay.user(i))) continue;
        if (state.fetch(stay.user(i))) ++events;
        holders.push_back(stay.user(i));
    }
    return events;
}

// The part that has the byte, or the one of the same line before it or else behind it.
const UsedPart* part_at(const Parts& parts, u64 line, Address a) {
    const UsedPart* const behind = std::upper_bound(
        parts.begin(), parts.end(), a, [](Address at, const UsedPart& part) { return at < part.begin; });
    if (behind != parts.begin() && behind[-1].line == line) return behind - 1;
    return behind != parts.end() && behind->line == line ? behind : nullptr;
}

Slice stays_of(const rt::Vector<Stay>& stays, u64 line) {
    const auto [from, to] = std::equal_range(stays.begin(), stays.end(), Stay{.line = line},
                                             [](const Stay& a, const Stay& b) { return a.line < b.line; });
    return {static_cast<u32>(from - stays.begin()), static_cast<u32>(to - stays.begin())};
}

PlacedEvents events_at(Slice of_line, const rt::Vector<Stay>& stays, const PlacedBytes& place) {
    PlaceState state;
    PlacedEvents found;
    for (u32 i = of_line.begin; i < of_line.end; ++i) found.events += events_of(stays[i], place, state);
    found.fetches = state.known.size();
    found.places = found.fetches == 0 ? 0 : 1;
    return found;
}

// Where the bytes of the line go, one element for each place.
void place_line(rt::Vector<PlacedBytes>& placed, const AdviceCase& c, const ChangedLayout& layout, u64 line) {
    for (u32 byte = 0; byte < c.line_bytes; ++byte) {
        const Address a = line * c.line_bytes + byte;
        const UsedPart* const part = part_at(c.parts, line, a);
        const u64 place = part == nullptr ? ChangedLayout::kStays : layout.place_of(*part, a);
        if (place == ChangedLayout::kCopied) continue;
        PlacedBytes* known = std::find_if(placed.begin(), placed.end(),
                                          [place](const PlacedBytes& each) { return each.place == place; });
        if (known == placed.end()) {
            placed.push_back({.place = place, .bytes = {}});
            known = &placed.back();
        }
        known->bytes[byte / 64] |= u64{1} << byte % 64;
    }
}

// Parts of different threads that lie in one element if elements begin at `first`.
u32 collisions(const Parts& parts, ObjectId object, u64 stride, u64 first) {
    u32 found = 0;
    const UsedPart* before = nullptr;
    for (const UsedPart& part : parts) {
        if (part.object != object || part.thread == kSeveral) continue;
        const u64 from = part.begin - part.start + stride - first,
                  to = part.end - 1 - part.start + stride - first;
        if (to - from < stride && from / stride != to / stride) ++found;
        if (before != nullptr && before->start == part.start && before->thread != part.thread &&
            (before->end - 1 - before->start + stride - first) / stride == from / stride)
            ++found;
        before = &part;
    }
    return found;
}

}  // namespace

void PlacedEvents::add(const PlacedEvents& other, u64 times) {
    events += times * other.events;
    places += times * other.places;
    fetches += times * other.fetches;
}
void PlacedEvents::raise(const PlacedEvents& other, u64 times) {
    events = std::max(events, times * other.events);
    places = std::max(places, times * other.places);
    fetches = std::max(fetches, times * other.fetches);
}

u64 LeftEvents::set_before(u64 first_touches) const {
    const u64 further = before.fetches - before.places;
    return std::min(before.places, first_touches - std::min(first_touches, further));
}
u64 LeftEvents::first_touches(u64 of) const {
    return std::min(of, after.fetches - after.places + scaled(after.places, set_before(of), before.places));
}
// Who stores first takes what was set.
u64 LeftEvents::removed_of(u64 all, u64 first_touches) const {
    const u64 taken = std::min(all, set_before(first_touches));
    const u64 gone = taken + scaled(all - taken, removed(), before.events);
    return gone - std::min(gone, scaled(after.places, taken, before.places));
}

ChangedLayout::ChangedLayout(const AdviceCase& c, usize from) : c_(c), from_(from) {
    for (usize i = from; i < c.plan.advice.size(); ++i) switch (c.plan.advice[i].remedy) {
            case Remedy::PadElements:
            case Remedy::AlignElements:
            case Remedy::AlignRows:
            case Remedy::WidenRows: add_elements(c.plan.advice[i]); break;
            case Remedy::DealOut: gathers_ = owners_in(c.parts); break;
            default: break;
        }
}

// Where an element begins, its type tells; of others not known, but with the right place fewest of them have parts of
// several threads.
void ChangedLayout::add_elements(const Advice& advice) {
    if (advice.stride == 0 || advice.item_count == 0) return;
    const ObjectId object{c_.plan.items[advice.first_item].object};
    const auto add = [&](u64 first) { elements_.push_back({object, advice.stride, first}); };
    constexpr u32 kAttempts = 64;
    u64 best = 0;
    u32 fewest = collisions(c_.parts, object, advice.stride, 0), attempts = 0;
    for (const UsedPart& part : c_.parts) {
        const u64 at = part.begin - part.start;
        if (fewest == 0 || ++attempts > kAttempts) break;
        if (part.object != object) continue;
        places::ArrayElements typed;
        if (attempts == 1 && c_.report.settings.find_elements != nullptr &&
            c_.report.settings.find_elements(typed, object, c_.code(), at, at + advice.stride) &&
            typed.bytes == advice.stride)
            return add(typed.first % advice.stride);
        if (part.thread == kSeveral) continue;
        const u64 first = at % advice.stride;
        const u32 found = first == best ? fewest : collisions(c_.parts, object, advice.stride, first);
        if (found >= fewest) continue;
        best = first;
        fewest = found;
    }
    add(best);
}

// A line of the part's element. Where several threads have parts of that, they may meet there.
u64 ChangedLayout::element_of(const UsedPart& part, Address a) const {
    for (const StridedElements& each : elements_) {
        // What is told of one block holds for others of its size.
        if (each.object != part.object && !(is_block(each.object) && is_block(part.object) &&
                                            object(each.object).size == object(part.object).size))
            continue;
        const u64 at = a - part.start + each.stride - each.first;
        const u64 element = mixed(part.start, at / each.stride);
        return mixed(element, at % each.stride / c_.line_bytes);
    }
    return kStays;
}

u64 ChangedLayout::place_by(const Advice& advice, const UsedPart& part, Address a) const {
    const AdviceItem* const items = c_.plan.items.data() + advice.first_item;
    const AdviceItem* const end = items + advice.item_count;
    const bool is_subject = std::any_of(items, end, [&](const AdviceItem& item) {
        return item.role == ItemRole::Subject && is_in(item, part, a);
    });
    const u64 line = a / c_.line_bytes;
    switch (advice.remedy) {
        case Remedy::MakePrivate:
        case Remedy::AddUpLocally:
        case Remedy::CopyTable:
        case Remedy::CopyCounter:
        case Remedy::DealBits:
        case Remedy::TakeSeveral: return is_subject ? kCopied : kStays;
        case Remedy::PadElements:
        case Remedy::AlignElements:
        case Remedy::AlignRows:
        case Remedy::WidenRows: return element_of(part, a);
        case Remedy::DealOut:
        case Remedy::AlignShares:
        case Remedy::JoinArrays:
        case Remedy::PartThreads:
        case Remedy::PartInside: return mixed(owner_of(part), line);
        case Remedy::MoveNeighbours: return part.thread == kSeveral ? kStays : mixed(part.thread, line);
        case Remedy::PartMembers:
        case Remedy::PartIndices: return mixed(part.begin, (a - part.begin) / c_.line_bytes);
        case Remedy::MoveWritten:
        case Remedy::MoveRead:
        case Remedy::MoveOwn:
        case Remedy::KeepFromLock: return is_subject ? mixed(part.start, line) : kStays;
        case Remedy::KeepApart:
        case Remedy::PadBetween:
        case Remedy::AllocateApart:
        case Remedy::OwnLine:
        case Remedy::OwnLines:
        case Remedy::Align:
        case Remedy::AlignBlocks: return mixed(part.start, (a - part.start) / c_.line_bytes);
        default: return kStays;
    }
}

u64 ChangedLayout::place_of(const UsedPart& part, Address a) const {
    u64 place = kStays;
    for (usize i = from_; i < c_.plan.advice.size(); ++i) {
        const u64 one = place_by(c_.plan.advice[i], part, a);
        if (one == kCopied) return kCopied;
        if (one != kStays) place = mixed(place, one);
    }
    return place;
}

// What one thread does with an element fetches it once, though it may have crossed the end of a line before.
// So of the parts of two lines that go to one place, that with more events counts.
LeftEvents replay(const AdviceCase& c, const ChangedLayout& layout) {
    return replay(c, layout, c.group.lines);
}
LeftEvents replay(const AdviceCase& c, const ChangedLayout& layout, Slice lines) {
    PlacedBytes whole;
    for (u64& word : whole.bytes) word = ~u64{0};
    LeftEvents left;
    rt::HashMap<PlacedEvents> most;  // by place
    rt::Vector<PlacedBytes> placed;
    for (u32 i = lines.begin; i < lines.end; ++i) {
        const u64 line = c.report.lines[i].line;
        const Slice stays = stays_of(c.report.stays, line);
        if (stays.size() == 0) continue;
        const u64 alike = c.report.lines[i].stands_for;
        left.before.add(events_at(stays, c.report.stays, whole), alike);
        placed.resize(0);
        place_line(placed, c, layout, line);
        for (const PlacedBytes& each : placed) {
            const PlacedEvents events = events_at(stays, c.report.stays, each);
            if (each.place == ChangedLayout::kStays)
                left.after.add(events, alike);
            else
                most[each.place].raise(events, alike);
        }
    }
    most.for_each([&](u64, const PlacedEvents& events) { left.after.add(events, 1); });
    left.after.places /= layout.gathers();
    left.after.fetches /= layout.gathers();
    return left;
}

}  // namespace memspy::remedies
