// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyses/cost/owners.h"

#include "client/replacement.h"
#include "log/last_store.h"
#include "options.h"
#include "rt/global.h"
#include "rt/hash_map.h"
#include "threads/frame_slots.h"

namespace memspy::cost {
namespace {

// Owners found lately, for the addresses of kUnit bytes each.
struct KnownOwner {
    OwnedExtent extent;
    bool has(Address a) const { return a >= extent.begin && a < extent.end; }
};
constexpr u32 kKnown = 1 << 14, kUnit = 64;
KnownOwner known_owners[kKnown];
// And for addresses of kWord bytes, those of fewer than kUnit: many static variables share a line.
constexpr u32 kKnownSmall = 1 << 15, kWord = 8;
KnownOwner known_small[kKnownSmall];
// And those outside the heap: the heap's lines take their places above, and to ask for symbols is slow.
constexpr u32 kKnownOutside = 1 << 14;
KnownOwner known_outside[kKnownOutside];
// And those of at least kWide bytes, for as many addresses each.
constexpr u32 kKnownWide = 1 << 14, kWide = 1 << 12;
KnownOwner known_wide[kKnownWide];
// And lines; kSeveralOwners also if it is not known.
struct KnownLine {
    u64 line = 0;
    u32 object = kSeveralOwners;
};
constexpr u32 kKnownLines = 1 << 14;
KnownLine known_lines[kKnownLines];
constexpr Address kPage = 4096;
u32 known_line_bits = 0;
void (*tell_of_lines)(Address begin, Address end) = nullptr;

// Forgets what is found by an address of [begin, end).
void forget_found_by(Address begin, Address end) {
    const auto forget = [&](auto* table, u64 entries, u64 first, u64 last) {
        for (u64 i = 0; i <= last - first && i < entries; ++i) table[(first + i) % entries] = {};
    };
    forget(known_owners, kKnown, begin / kUnit, (end - 1) / kUnit);
    forget(known_small, kKnownSmall, begin / kWord, (end - 1) / kWord);
    forget(known_outside, kKnownOutside, begin / kUnit, (end - 1) / kUnit);
    forget(known_wide, kKnownWide, begin / kWide, (end - 1) / kWide);
    forget(known_lines, kKnownLines, begin >> known_line_bits, (end - 1) >> known_line_bits);
}

void forget_overlapping(Address begin, Address end) {
    const auto forget = [&](KnownOwner& known) {
        if (known.extent.begin < end && begin < known.extent.end) known = {};
    };
    for (KnownOwner& known : known_owners) forget(known);
    for (KnownOwner& known : known_small) forget(known);
    for (KnownOwner& known : known_outside) forget(known);
    for (KnownOwner& known : known_wide) forget(known);
    forget_found_by(begin, end);
}

// Parts of stacks found lately, for kUnit bytes each of what a call path sees.
struct KnownPart {
    threads::CallPath path{};
    u32 thread = 0;
    Address code = 0;
    u64 age = 0;
    OwnedExtent extent;
    bool has(Address a) const { return a >= extent.begin && a < extent.end; }
};
constexpr u32 kKnownParts = 1 << 12;
KnownPart known_parts[kKnownParts];
rt::Global<rt::Vector<threads::CallPath>> paths;  // by serial of the thread

rt::Global<rt::Vector<ObjectCost>> all_objects;
rt::Global<rt::HashMap<u32>> numbers;  // object id -> number

u32 number_of(places::ObjectId id) {
    u32& number = (*numbers)[static_cast<u64>(id)];
    if (number == 0) {
        number = static_cast<u32>(all_objects->size());
        all_objects->push_back(ObjectCost{});
        all_objects->back().object = id;
    }
    return number;
}

usize least_block() { return static_cast<usize>(options().cost_min_block); }

OwnedExtent look_up(Address a) {
    if (!heap::is_heap_memory(a)) {
        KnownOwner& known = known_outside[a / kUnit % kKnownOutside];
        if (known.has(a)) return known.extent;
        const places::Extent whole = places::find_whole(a);
        const places::Object& object = places::object(whole.object);
        OwnedExtent owner{whole.begin, whole.end, number_of(whole.object)};
        if (object.kind == places::Object::StorageKind::Stack) owner.stack_of = object.thread;
        // Any page of it may become the heap's.
        if (object.kind == places::Object::StorageKind::Unknown) {
            const Address page = a / kPage * kPage;
            if (owner.begin < page) owner.begin = page;
            if (owner.end > page + kPage) owner.end = page + kPage;
        }
        known.extent = owner;
        return owner;
    }
    const heap::Block* const block = heap::find_near(a);
    if (block == nullptr || !block->contains(a)) return {a, a + 1, 0};
    const u32 number = block->size < least_block() ? 0 : number_of(places::heap_object(*block));
    return {block->payload, block->payload + block->size, number};
}

// The memory of small blocks stays the same object's, whatever the allocator does with it; a block of the
// same slot is less than twice as large. So a new age, which costs much, is for large ones, and for the first
// block of a page, which becomes the heap's as a whole.
void heap_changed(Address begin, usize bytes) {
    if (bytes == 0) return;
    const bool is_first = !heap::is_heap_memory(begin) || !heap::is_heap_memory(begin + bytes - 1);
    if (is_first || bytes >= least_block() / 2) {
        ++owner_age;
        const Address end = (begin + bytes + kPage - 1) / kPage * kPage;
        return forget_found_by(begin / kPage * kPage, end);
    }
    forget_found_by(begin, begin + bytes);
    tell_of_lines(begin, begin + bytes);
}

}  // namespace

u64 owner_age = 1;

static places::GrownPartsOfLog& grown_parts() {
    static rt::Global<places::GrownPartsOfLog> parts;
    return *parts;
}

OwnedExtent owner_of(Address a) {
    KnownOwner& known = known_owners[a / kUnit % kKnown];
    if (known.has(a)) return known.extent;
    KnownOwner& wide = known_wide[a / kWide % kKnownWide];
    KnownOwner& small = known_small[a / kWord % kKnownSmall];
    known = wide.has(a) ? wide : small.has(a) ? small : KnownOwner{look_up(a)};
    const usize bytes = known.extent.end - known.extent.begin;
    if (bytes >= kWide) wide = known;
    if (bytes < kUnit) small = known;
    return known.extent;
}

OwnedExtent owner_at(Address a, const AccessPosition& position) {
    const OwnedExtent whole = owner_of(a);
    if (whole.stack_of == 0) return whole;
    AccessPosition at = position;
    if (whole.stack_of != position.thread) {
        if (whole.stack_of >= paths->size()) return whole;
        at = {whole.stack_of, (*paths)[whole.stack_of], 0, true};
    }
    if (!at.is_known) return whole;
    const u64 hash = (u64{static_cast<u32>(at.path)} << 32 ^ at.code ^ a / kUnit << 12) * 0x9e3779b97f4a7c15u;
    KnownPart& known = known_parts[hash >> 32 & (kKnownParts - 1)];
    if (known.path == at.path && known.thread == at.thread && known.code == at.code &&
        known.age == owner_age && known.has(a))
        return known.extent;
    const places::Extent extent{whole.begin, whole.end, objects()[whole.object].object, whole.begin};
    places::StackPart part;
    places::find_stack_part(extent, {at.path, at.code, threads::slot_of, &grown_parts().parts()}, a, &part);
    known = {at.path, at.thread, at.code, owner_age,
             OwnedExtent{part.extent.begin, part.extent.end, number_of(part.extent.object), whole.stack_of,
                         part.turn}};
    return known.extent;
}

void thread_is_in(u32 thread, threads::CallPath path) {
    while (paths->size() <= thread) paths->push_back(threads::CallPath::Root);
    (*paths)[thread] = path;
}

struct RecordEnd {
    threads::CallPath path{};
    log::LastStore stored;
};
static rt::Global<rt::Vector<RecordEnd>> last_records;  // by serial of the thread

static RecordEnd end_of(const log::Record& record) {
    return {record.path, log::last_store(record, log::shape(record.shape))};
}

static void follow_call_from(u32 thread, const RecordEnd& before, threads::CallPath next) {
    if (!threads::has_varying_slot(next) || threads::parent_of(next) != before.path ||
        !before.stored.is_call_to(next))
        return;
    threads::frame_is_at(thread, next, before.stored.at);
    look_at_frames();
}

void follow_call(u32 thread, const log::Record& before, threads::CallPath next) {
    if (threads::has_varying_slot(next)) follow_call_from(thread, end_of(before), next);
}

void follow_from_last(u32 thread, threads::CallPath next) {
    if (thread < last_records->size() && (*last_records)[thread].path != next)
        follow_call_from(thread, (*last_records)[thread], next);
}

void read_until(u32 thread, const u64* first, const u64* record) {
    if (grown_parts().advance(thread, first, record)) [[unlikely]]
        ++owner_age;
}

void keep_last(u32 thread, const log::Record& last) {
    while (last_records->size() <= thread) last_records->push_back({});
    (*last_records)[thread] = end_of(last);
}

void look_at_frames() {
    static u32 age = 0;
    if (age == threads::age_of_slots()) return;
    age = threads::age_of_slots();
    ++owner_age;
}

u32 owner_of_line(u64 line) {
    KnownLine& known = known_lines[line % kKnownLines];
    if (known.line == line && known.object != kSeveralOwners) return known.object;
    const Address begin = line << known_line_bits, last = begin + ((Address{1} << known_line_bits) - 1);
    const OwnedExtent owner = owner_of(begin);
    u32 object = kSeveralOwners;
    if (owner.stack_of != 0) return object;
    if (owner.begin <= begin && last < owner.end) object = owner.object;
    // Between two bytes of the heap outside large blocks there is no large block.
    else if (owner.object == 0 && least_block() > last - begin && owner_of(last).object == 0)
        object = 0;
    known = {line, object};
    return object;
}

rt::Vector<ObjectCost>& objects() { return *all_objects; }
void owners_changed() { owners_changed_between(0, ~Address{0}); }

void owners_changed_between(Address begin, Address end) {
    if (begin == end) return;
    ++owner_age;
    forget_overlapping(begin, end);
}

void start_owners(u32 line_bits, void (*lines_changed)(Address begin, Address end)) {
    known_line_bits = line_bits;
    tell_of_lines = lines_changed;
    all_objects->push_back(ObjectCost{});
    grown_parts().start();
    client::listen({.acquired = heap_changed,
                    .released = [](const heap::Block& block) { heap_changed(block.payload, block.size); }});
}

void forget_owners() {
    all_objects->clear();
    numbers->clear();
    last_records->clear();
    grown_parts().advance_to_end();
    owners_changed();
    all_objects->push_back(ObjectCost{});
}

}  // namespace memspy::cost
