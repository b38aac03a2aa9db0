// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyses/zeros/data.h"

#include <algorithm>
#include <new>

#include "analyses/zeros/frames.h"
#include "client/replacement.h"
#include "instrument/zeros/byte_marks.h"
#include "instrument/zeros/zero_observer.h"
#include "places/block_types.h"
#include "places/stacks.h"
#include "places/variables.h"
#include "rt/global.h"
#include "rt/vector.h"
#include "threads/registry.h"
#include "vg/modules.h"
#include "vg/vg.h"

namespace memspy::zeros {

using instrument::clear_marks;
using instrument::initialise_marks;
using instrument::kMarkAddressBits;
using instrument::make_markable;
using instrument::mark;
using instrument::next_marked;
namespace {

using places::Extent;
using places::ObjectId;
using threads::Thread;

bool running = false;

// By object number minus one; null: nothing known.
using ObjectTable = rt::Vector<ObjectCounts*>;
rt::Global<ObjectTable> ended;    // memory whose life has ended
rt::Global<ObjectTable> settled;  // all, as it was at the last settling
constinit Timeline timeline;      // in blocks of code that were run

// What to do with a part of an object: [begin, end) of what starts at `start`.
using PartAction = void (*)(ObjectCounts& object, Address begin, Address end, Address start);
void tally_part(ObjectCounts& object, Address begin, Address end, Address) {
    take_tallies(object, begin, end, timeline.slot());
}

bool may_have_planes(const ObjectCounts& counts) {
    return counts.redundant != 0 && counts.redundant != counts.cells;
}

ArrayDimensions dimensions_of(const dwarf::DeclaredDimensions& shape) {
    ArrayDimensions array;
    static_assert(ArrayDimensions::kMost == dwarf::DeclaredDimensions::kMost);
    array.count = shape.count;
    array.element = shape.element;
    array.first_fastest = shape.first_fastest;
    for (u32 i = 0; i < shape.count; ++i)
        array.lengths[i] = shape.lengths[shape.first_fastest ? shape.count - 1 - i : i];
    return array;
}

// In the dimensions that the source declares, of which the largest block tells.
void look_for_planes(ObjectCounts& counts, Address begin, u64 bytes, const dwarf::DeclaredDimensions& shape,
                     bool readable) {
    const ArrayDimensions array = dimensions_of(shape);
    if (array.count >= 2 && array.bytes() <= bytes) counts.planes = find_planes(begin, array, readable);
}

constexpr u64 kLeastOfPlanes = 256;

void fold_part(ObjectCounts& counts, Address begin, Address end, Address start) {
    const u64 largest = counts.largest;
    fold(counts, begin, end, start);
    if (counts.largest == largest || !VG_(am_is_valid_for_client)(begin, end - begin, VKI_PROT_READ)) return;
    if (counts.columns.stride != 0) counts.columns = without_addresses(counts.columns, begin, end);
    const places::Object& object = places::object(counts.object);
    if (object.kind != places::Object::StorageKind::Heap || counts.largest < kLeastOfPlanes) return;
    if (!may_have_planes(counts) || places::is_library_data(object)) return;
    places::look_for_owner(counts.object, begin);
    look_for_planes(counts, begin, end - begin, places::shape_of_block(counts.object, begin, end - begin),
                    true);
}

ObjectCounts& counts_of(ObjectTable& table, ObjectId id) {
    const usize index = static_cast<usize>(id) - 1;
    if (table.size() <= index) {
        table.reserve((index + 1) * 2);
        table.resize(index + 1);
    }
    if (table[index] == nullptr) {
        table[index] = new (rt::allocate(sizeof(ObjectCounts), "memspy.object_counts")) ObjectCounts;
        table[index]->object = id;
    }
    return *table[index];
}

void empty(ObjectTable& table) {
    for (ObjectCounts* counts : table) {
        if (counts == nullptr) continue;
        forget_map(*counts);
        rt::release(counts);
    }
    table.clear();
}

constexpr Address kEndOfMemory = Address{1} << kMarkAddressBits;

// Memory in [begin, end) that is not the heap's.
void visit_outside(ObjectTable& table, Address begin, Address end, PartAction action) {
    vg::know_modules();
    // What surrounds a gap between two variables may surround variables that were visited already.
    Address visited = begin;
    for (Address a = begin; (a = next_marked(a, end)) < end;) {
        // A chunk of the heap has unused memory on both sides.
        if (heap::is_heap_memory(a)) {
            a = VG_PGROUNDDN(a) + VKI_PAGE_SIZE;
            continue;
        }
        const Extent whole = places::find_whole(a);
        const Address first = whole.begin < visited ? visited : whole.begin;
        const Address last = whole.end < end ? whole.end : end;
        // next_marked goes by whole words, so the mark may be a neighbour's.
        if (next_marked(first, last) < last)
            action(counts_of(table, whole.object), first, last, whole.start < first ? whole.start : first);
        a = visited = last;
    }
}

// The living blocks, each without the blocks inside it.
void visit_blocks(ObjectTable& table, PartAction action) {
    struct OpenBlock {
        const heap::Block* block;
        ObjectCounts* counts;
        Address at;  // visited up to here
    };
    struct Walk {
        ObjectTable& table;
        PartAction action;
        rt::Vector<OpenBlock> open;  // the last one is the innermost

        void visit_to(OpenBlock& open_block, Address end) {
            const heap::Block& block = *open_block.block;
            const Address stop = end < block.payload + block.size ? end : block.payload + block.size;
            if (stop <= open_block.at) return;
            action(*open_block.counts, open_block.at, stop, block.payload);
            open_block.at = stop;
        }
        void close_before(Address a) {
            while (!open.empty() && open.back().block->payload + open.back().block->size <= a) {
                const Address end = open.back().block->payload + open.back().block->size;
                visit_to(open.back(), end);
                open.pop_back();
                if (!open.empty() && open.back().at < end) open.back().at = end;
            }
        }
    };
    Walk walk{table, action, {}};
    heap::for_each_live(
        [](heap::Block& block, void* argument) {
            Walk& w = *static_cast<Walk*>(argument);
            w.close_before(block.payload);
            if (!w.open.empty()) w.visit_to(w.open.back(), block.payload);
            w.open.push_back(
                OpenBlock{&block, &counts_of(w.table, places::heap_object(block)), block.payload});
        },
        &walk);
    walk.close_before(kEndOfMemory);
}

// Variables of frames that are gone.
void visit_frames(ObjectTable& table, PartAction action) {
    struct VariableVisit {
        ObjectTable& table;
        PartAction action;
    } visit{table, action};
    for_each_kept_variable(
        [](const places::VariableOfFrame& variable, Address begin, void* argument) {
            const VariableVisit& v = *static_cast<VariableVisit*>(argument);
            const Address end = begin + variable.bytes;
            if (next_marked(begin, end) < end)
                v.action(counts_of(v.table, variable.object), begin, end, begin);
        },
        &visit);
}

// Before a tally's halves overflow: hardly any code reads the same 32 bytes more often than 250 times in a
// block.
constexpr u64 kLongestBetweenTallies = 16'000'000;
u64 tallied = 0;

void take_all_tallies() {
    visit_blocks(*ended, tally_part);
    visit_frames(*ended, tally_part);
    // By segments: leaves of marks are large, and mostly empty.
    Int count = 0;
    Addr* const starts = VG_(get_segment_starts)(SkFileC | SkAnonC | SkShmC, &count);
    for (Int i = 0; i < count; ++i)
        if (const NSegment* segment = VG_(am_find_nsegment)(starts[i]); segment != nullptr)
            visit_outside(*ended, segment->start, segment->end + 1, tally_part);
    VG_(free)(starts);
}

// By the type that the source declares: of static variables here, of those in frames below.
void leave_out_pointers(ObjectCounts& counts, const dwarf::DeclaredDimensions& shape) {
    if (shape.pointers) counts.columns = Columns{};
}

void look_at_shape(ObjectCounts& counts) {
    const places::Object& object = places::object(counts.object);
    if (object.kind != places::Object::StorageKind::Static || places::is_section(object)) return;
    if (!may_have_planes(counts) || places::is_library_data(object)) return;
    const dwarf::DeclaredDimensions shape = places::shape_of(counts.object);
    leave_out_pointers(counts, shape);
    const bool readable = VG_(am_is_valid_for_client)(object.start, object.size, VKI_PROT_READ);
    look_for_planes(counts, object.start, object.size, shape, readable);
}

void look_at_shapes_of_frames() {
    for_each_kept_variable(
        [](const places::VariableOfFrame& variable, Address begin, void*) {
            ObjectCounts& counts = counts_of(*settled, variable.object);
            leave_out_pointers(counts, variable.shape);
            if (may_have_planes(counts))
                look_for_planes(counts, begin, variable.bytes, variable.shape, false);
        },
        nullptr);
}

// Events

void time_passes(Thread t, u32, u64 blocks) {
    if (!running) return;
    frames_of(t.serial);
    timeline.reach(blocks);
    if (blocks < tallied + std::min(timeline.length(), kLongestBetweenTallies)) return;
    tallied = blocks;
    take_all_tallies();
    for (u32 joins = timeline.advance(blocks); joins > 0; --joins)
        for (ObjectCounts* counts : *ended)
            if (counts != nullptr) counts->loads.join_slots();
}

void block_acquired(Address begin, usize bytes) {
    make_markable(begin, bytes);
    clear_marks(begin, begin + bytes);
}

void block_released(const heap::Block& block) {
    const Address end = block.payload + block.size;
    ObjectCounts& counts = counts_of(*ended, places::heap_object(block));
    tally_part(counts, block.payload, end, block.payload);
    fold_part(counts, block.payload, end, block.payload);
    clear_marks(block.payload, end);
}

void memory_ends(Address begin, Address end) {
    visit_outside(*ended, begin, end, tally_part);
    visit_outside(*ended, begin, end, fold_part);
    clear_marks(begin, end);
}

void unmapped(Address begin, usize bytes) {
    if (running) memory_ends(begin, begin + bytes);
}

// The memory of a thread that is gone soon belongs to another thread: its stack, and the data on top of it.
void thread_exited(Thread t, u32 guest_id) {
    if (!running) return;
    leave_frames(t.serial);
    if (threads::threads_now() == 1) return;
    Address a = VG_(get_SP)(guest_id);
    for (int part = 0; part < 2; ++part) {
        const Extent whole = places::find_whole(a);
        if (places::object(whole.object).thread != t.serial) return;
        memory_ends(whole.begin, whole.end);
        a = whole.end;
    }
}

// A child process only counts its own loads.
void forked(Thread, u32) {
    if (!running) return;
    empty(*ended);
    clear_marks(0, kEndOfMemory);
    forget_frames();
}

void mapped(Address begin, usize bytes) {
    if (running) make_markable(begin, bytes);
}

}  // namespace

void start_data() {
    running = true;
    instrument::mark_loaded_bytes();
    initialise_marks();
    start_frames();
    places::follow_stacks();
    threads::listen({.exited = thread_exited,
                     .started = time_passes,
                     .mapped = mapped,
                     .unmapped = unmapped,
                     .forked = forked});
    client::listen({.acquired = block_acquired, .released = block_released});
}

bool data_is_on() { return running; }

void settle_data() {
    leave_all_frames();
    take_all_tallies();
    empty(*settled);
    for (usize i = 0; i < ended->size(); ++i)
        if ((*ended)[i] != nullptr) counts_of(*settled, static_cast<ObjectId>(i + 1)) = copy_of(*(*ended)[i]);
    visit_blocks(*settled, fold_part);
    visit_outside(*settled, 0, kEndOfMemory, fold_part);
    visit_frames(*settled, fold);
    for (usize i = 0; i < settled->size(); ++i)
        if (ObjectCounts* const counts = (*settled)[i]; counts != nullptr) look_at_shape(*counts);
    look_at_shapes_of_frames();
}

u32 thousandths_before(u32 slot) { return timeline.thousandths_before(slot); }

void for_each_object(void (*f)(ObjectId id, const ObjectCounts& counts, void* argument), void* argument) {
    for (usize i = 0; i < settled->size(); ++i)
        if (const ObjectCounts* counts = (*settled)[i]; counts != nullptr && counts->accessed != 0)
            f(static_cast<ObjectId>(i + 1), *counts, argument);
}

}  // namespace memspy::zeros
