// SPDX-License-Identifier: GPL-2.0-or-later
#include "places/objects.h"

#include <algorithm>
#include <initializer_list>

#include "places/captured.h"
#include "places/frame_variables.h"
#include "places/static_objects.h"
#include "places/thread_storage.h"
#include "rt/global.h"
#include "rt/hash_map.h"
#include "rt/system_paths.h"
#include "rt/text.h"
#include "rt/vector.h"
#include "threads/call_tree.h"
#include "threads/frame_slots.h"
#include "vg/unwind.h"
#include "vg/vg.h"

// Only the core's own headers declare this.
extern "C" Addr VG_(brk_limit);

namespace memspy::places {
namespace {

// Deeper frames of a recursion have no name.
constexpr UInt kMostFrames = 512;

rt::Global<rt::Vector<ObjectId>> anonymous_mappings;
rt::Global<rt::HashMap<u8>> known_blocks;  // by payload and object: each block is counted once

// Heap

const heap::Block* block_around(Address a) {
    const heap::Block* block = heap::find_near(a);
    return block != nullptr && block->contains(a) ? block : nullptr;
}

// Blocks that the client described may be anywhere. Cuts `region` down to the bytes around `a` that are in
// `block`, or in no block if it is null. Described blocks of eight bytes and more are always found, smaller
// ones if they are aligned to their size.
ObjectRegion without_inner_blocks(const ObjectRegion& region, Address a, const heap::Block* block) {
    const Address low = region.begin > window_begin(a) ? region.begin : window_begin(a);
    const Address high = region.end < window_end(a) ? region.end : window_end(a);
    bool clear = true;
    for (Address b = low; b < high && clear; b = (b | 3) + 1) clear = block_around(b) == block;
    if (clear) return region;
    ObjectRegion around = grow(a, low, high, [&](Address b) { return block_around(b) == block; });
    around.start = region.start;
    around.object = region.object;
    return around;
}

// `number`: of a block that is an object of its own; 0: of all blocks of the allocation. The key differs by it.
ObjectId find_block(const heap::Block& block, u32 number, u64 key) {
    Object wanted;
    wanted.kind = Object::StorageKind::Heap;
    wanted.alloc_kind = block.kind;
    wanted.allocated = block.allocated;
    wanted.allocated_by = block.allocated_by;
    wanted.start = block.payload;
    wanted.size = block.size;
    wanted.number = number;
    if (number != 0) wanted.blocks = wanted.on_lines = 1;
    return find_or_make(mix(static_cast<u64>(block.allocated), key), wanted, [&](const Object& o) {
        return o.allocated == block.allocated && o.alloc_kind == block.kind && o.number == number;
    });
}
// Blocks that are freed before the next one is allocated are one to the reader: a buffer.
ObjectId object_of_block(const heap::Block& block) {
    const ObjectId id = find_block(block, 0, static_cast<u64>(block.kind) + 1);
    Object& all = object_at(id);
    if (all.blocks < 2 && block.payload != all.latest) {
        const heap::Block* const before = heap::find_live(all.latest);
        const bool is_alive = before != nullptr && before->allocated == block.allocated;
        all.blocks = is_alive ? 2 : 1;
        all.latest = block.payload;
    }
    if (block.size != all.size) all.of_many_sizes = true;
    return id;
}

ObjectRegion heap_region(const heap::Block& block, Address a) {
    const ObjectId id = object_of_block(block);
    u8& counted = (*known_blocks)[(static_cast<u64>(id) << 40) ^ block.payload];
    if (counted == 0) {
        counted = 1;
        ++object_at(id).on_lines;
    }
    const ObjectRegion whole{block.payload, block.payload + block.size, block.payload, id};
    return without_inner_blocks(whole, a, &block);
}

ObjectRegion heap_gap(Address a) {
    ObjectRegion region = grow(
        a, 0, ~Address{0}, [](Address b) { return heap::is_heap_memory(b) && block_around(b) == nullptr; });
    region.object = named_unknown("heap memory outside all blocks", 0, 0, 0);
    region.start = region.begin;
    return region;
}

// The return address is between the slot of a frame (threads/frame_slots.h) and its end.
#if defined(VGA_amd64)
constexpr usize kReturnPops = sizeof(Address);
#else
constexpr usize kReturnPops = 0;
#endif
// Of a frame whose size is not known.
constexpr usize kMostFrame = usize{64} << 20;

// The function that the code belongs to; null if it has no name, or is not the program's own.
const char* own_function(Address code) {
    struct OwnFunction {
        const char* name;
        bool is_known;
    };
    static rt::Global<rt::HashMap<OwnFunction>> functions;
    OwnFunction& function = (*functions)[code];
    if (function.is_known) return function.name;
    function.is_known = true;
    const vg::ModuleId id = vg::module_of_code(code);
    const HChar* name = nullptr;
    if (id != vg::ModuleId::None && !rt::is_system_path(vg::module(id).path) &&
        VG_(get_fnname)(VG_(current_DiEpoch)(), code, &name))
        function.name = vg::intern(name);
    return function.name;
}

struct StackFrame {
    Address begin = 0, end = 0;
    const char* name = nullptr;
    Address code = 0;
    Address lowest = 0;  // the innermost frame's: of its red zone
};

// The frame that `a` is in now, without a name if that is not known.
StackFrame frame_around(const ThreadStack& stack, Address a) {
    static Addr ips[kMostFrames], sps[kMostFrames];  // the tool has one thread, and its stack is small
    StackFrame frame{.begin = stack.low, .end = stack.high};
    if (!is_alive(stack)) return frame;
    const UInt count = VG_(get_StackTrace)(stack.guest_id, ips, kMostFrames, sps, nullptr, 0);
    if (count == 0) return frame;
    const Address top = sps[0] - VG_STACK_REDZONE_SZB;
    if (a < top) {
        if (top < frame.end) frame.end = top;
        return frame;
    }
    for (UInt i = 0; i < count; ++i) {
        const Address begin = sps[i];
        const Address end = i + 1 < count ? sps[i + 1] : stack.high;
        if (begin < stack.low || end > stack.high) break;  // it runs on another stack
        // The red zone belongs to the innermost function.
        const bool in_red_zone = i == 0 && a < begin;
        if (!in_red_zone && (a < begin || a >= end)) continue;
        frame.begin = begin;
        frame.end = end;
        frame.lowest = i == 0 ? top : begin;
        // The end of the outermost frame is not known, nor whether there are more frames.
        const HChar* name = nullptr;
        if (i + 1 < count && VG_(get_fnname)(VG_(current_DiEpoch)(), ips[i], &name))
            frame.name = vg::intern(name);
        frame.code = ips[i];
        break;
    }
    return frame;
}

// The variable, or for want of one what the frame has around `a`.
ObjectRegion frame_region(u32 thread, const StackFrame& frame, const StackVariable& found,
                          bool of_all_threads = false) {
    const bool is_variable = found.name != nullptr;
    Object wanted;
    wanted.kind = Object::StorageKind::Stack;
    wanted.thread = thread;
    wanted.of_all_threads = of_all_threads;
    wanted.start = is_variable ? found.begin : frame.begin;
    wanted.size = (is_variable ? found.end : frame.end) - wanted.start;
    wanted.name = found.function != nullptr ? found.function : frame.name;
    wanted.code = frame.code;
    wanted.frame_begin = frame.begin;
    wanted.frame_end = frame.end;
    wanted.variable = found.name;
    wanted.line = found.line;
    wanted.unit = found.unit;
    wanted.file = found.file;
    wanted.loaded_from = found.module;
    wanted.module_offset = found.entry;
    const u64 key =
        mix(mix(reinterpret_cast<u64>(wanted.name), reinterpret_cast<u64>(found.name) + found.line),
            (of_all_threads ? 0 : u64{thread}) << 1 | 1);
    const ObjectId id = find_or_make(key, wanted, [&](const Object& o) {
        const bool is_same_thread = of_all_threads || o.thread == wanted.thread;
        return o.name == wanted.name && o.of_all_threads == of_all_threads && is_same_thread &&
               o.variable == wanted.variable && o.line == wanted.line &&
               o.module_offset == wanted.module_offset;
    });
    return {found.begin, found.end, wanted.start, id};
}

ObjectRegion stack_region(const ThreadStack& stack, const StackFrame& frame, Address a) {
    StackVariable found{.begin = frame.begin, .end = frame.end};
    const bool found_one = frame.name != nullptr &&
                           (find_frame_variable(frame.code, frame.begin, frame.end, a, &found) ||
                            present_grown_parts().find(frame.name, a, &found) || find_captured(a, &found));
    if (!found_one && a < frame.begin) {
        found.begin = frame.lowest;
        found.end = frame.begin;
    }
    return frame_region(stack.serial, frame, found);
}

// Everything else

ObjectId file_mapping(const char* path, Address start, usize size) {
    Object wanted;
    wanted.kind = Object::StorageKind::Unknown;
    wanted.name = vg::intern("mapped file");
    wanted.module = vg::intern(path);
    wanted.start = start;
    wanted.size = size;
    return find_or_make(mix(reinterpret_cast<u64>(wanted.module), 3), wanted,
                        [&](const Object& o) { return o.module == wanted.module; });
}

// Anonymous mappings grow and merge with their neighbours, so a mapping that was around `a` before is the
// same object.
ObjectId anonymous_mapping(const char* name, Address a, Address start, usize size) {
    for (const ObjectId id : *anonymous_mappings)
        if (const Object& o = object_at(id); a - o.start < o.size) return id;
    Object wanted;
    wanted.kind = Object::StorageKind::Unknown;
    wanted.name = vg::intern(name);
    wanted.start = start;
    wanted.size = size;
    const ObjectId id = find_or_make(mix(start, 4), wanted, [&](const Object& o) {
        return o.name == wanted.name && o.start == start && o.size == size;
    });
    anonymous_mappings->push_back(id);
    return id;
}

ObjectRegion mapping_region(Address a) {
    ObjectRegion region{window_begin(a), window_end(a), 0, ObjectId::None};
    const NSegment* segment = VG_(am_find_nsegment)(a);
    if (segment == nullptr ||
        (segment->kind != SkFileC && segment->kind != SkAnonC && segment->kind != SkShmC)) {
        region.object = named_unknown("unmapped memory", 0, 0, 0);
        region.start = region.begin;
        return region;
    }
    const Address start = segment->start;
    const usize size = segment->end - start + 1;
    if (segment->kind == SkFileC) {
        const HChar* path = VG_(am_get_filename)(segment);
        region.object = file_mapping(path == nullptr ? "" : path, start, size);
    } else if (segment->kind == SkShmC) {
        region.object = anonymous_mapping("shared memory", a, start, size);
    } else if (VG_(brk_limit) >= start && VG_(brk_limit) <= start + size) {
        region.object = named_unknown("data segment (brk)", 0, start, size);
    } else {
        region.object = anonymous_mapping("anonymous mapping", a, start, size);
    }
    // Offsets count from the object's first known start, unless this is another mapping of its file.
    const Object& object = object_at(region.object);
    region.start = a - object.start < object.size ? object.start : start;
    region.begin = start;
    region.end = start + size;
    // Thread-local storage may lie in the same mapping.
    for (const ThreadStack& stack : known_stacks()) {
        for (const Address edge : {stack.low, stack.high, stack.tls_begin, stack.tls_end}) {
            if (edge <= a && edge > region.begin) region.begin = edge;
            if (edge > a && edge < region.end) region.end = edge;
        }
    }
    heap::cut_at_heap_memory(a, &region.begin, &region.end);
    return region;
}

// `a` is not in any block.
ObjectRegion region_outside_blocks(Address a) {
    ObjectRegion region;
    if (const ThreadStack* stack = stack_around(a))
        return in_tls(*stack, a) ? tls_region(*stack, a) : stack_region(*stack, frame_around(*stack, a), a);
    if (static_region(a, &region)) return region;
    return mapping_region(a);
}

ObjectRegion region_around(Address a) {
    if (const heap::Block* block = block_around(a)) return heap_region(*block, a);
    if (heap::is_heap_memory(a)) return heap_gap(a);
    return without_inner_blocks(region_outside_blocks(a), a, nullptr);
}

}  // namespace

void follow_stacks() {
    follow_threads();
    follow_grown_parts();
}

Extent find_extent(Address a) {
    const ObjectRegion region = region_around(a);
    DCHECK_LE(region.begin, a);
    DCHECK_LT(a, region.end);
    remember(region);
    return clip(region, window_begin(a), window_end(a));
}

Extent find_whole(Address a) {
    ObjectRegion region;
    const ThreadStack* stack = stack_around(a);
    if (stack != nullptr && in_stack(*stack, a) && !in_tls(*stack, a)) {
        region = stack_region(*stack, StackFrame{stack->low, stack->high, nullptr}, a);
        // Thread-local storage may lie on top of it.
        if (stack->tls_begin > a && stack->tls_begin < region.end) region.end = stack->tls_begin;
    } else {
        region = region_outside_blocks(a);
    }
    return {region.begin, region.end, region.object, region.start};
}

// As if no frame of the path were one of a recursion.
static bool find_part_once(const Extent& whole, const StackPosition& position, Address a, StackPart* part) {
    const u32 thread = object_at(whole.object).thread;
    *part = {whole, position.path};
    StackFrame frame{.begin = kUnknownBegin, .code = position.code};
    bool all_known = true;
    for (auto at = position.path; at != threads::CallPath::Root; at = threads::parent_of(at)) {
        const Address slot = position.slot_of(thread, at);
        all_known = all_known && slot != 0;
        frame.end = slot == 0 ? 0 : slot + kReturnPops;
        if (a < frame.end) break;
        Address return_address = 0;
        threads::return_addresses(at, &return_address, 1);
        frame = {.begin = frame.end, .code = return_address - 1};
        part->below = at;
        all_known = all_known || slot != 0;
        if (slot != 0) part->extent.begin = frame.begin;
    }
    if (frame.end == 0) return false;
    part->extent.end = frame.end;
    // Below the innermost frame's slot all may be its own.
    if (!all_known || (frame.begin == kUnknownBegin && a + kMostFrame < frame.end)) return false;
    frame.name = own_function(frame.code);
    if (frame.name == nullptr) return false;
    if (const usize size = frame.begin == kUnknownBegin ? vg::frame_size_at(frame.code) : 0; size != 0)
        frame.begin = frame.end - size;
    StackVariable found;
    const bool is_variable = find_frame_variable(frame.code, frame.begin, frame.end, a, &found) ||
                             position.grown->find(frame.name, a, &found);
    part->extent.begin = found.begin > part->extent.begin ? found.begin : part->extent.begin;
    part->extent.end = found.end;
    if (!is_variable) return false;
    const ObjectRegion region = frame_region(thread, frame, found, true);
    part->extent = {region.begin, region.end, region.object, region.start};
    return true;
}

bool find_stack_part(const Extent& whole, const StackPosition& position, Address a, StackPart* part) {
    const threads::Recursion recursion = threads::recursion_of(position.path);
    if (recursion.turn == 0) return find_part_once(whole, position, a, part);
    const Address slot = position.slot_of(object_at(whole.object).thread, recursion.first);
    if (*part = {whole, position.path}; slot == 0) return false;
    const Address end = part->extent.end = slot + kReturnPops;
    if (a >= end) return find_part_once(whole, position, a, part);
    if (recursion.turn == threads::kVaryingTurns) return false;
    // All turns are like the first one.
    const u64 above = (end - 1 - a) / recursion.turn * recursion.turn;
    const bool found = find_part_once(whole, position, a + above, part);
    part->turn = recursion.turn;
    part->extent.begin = std::max(part->extent.begin, end - recursion.turn) - above;
    part->extent.end = std::min(part->extent.end, end) - above;
    if (found) part->extent.start -= above;
    return found;
}

Extent find_in_left_frame(Address code, Address begin, Address end, Address a) {
    const ThreadStack* const stack = stack_around(a);
    if (stack == nullptr || !in_stack(*stack, a)) return find_whole(a);
    StackFrame frame{
        .begin = begin, .end = end, .name = nullptr, .code = code, .lowest = begin - VG_STACK_REDZONE_SZB};
    const HChar* name = nullptr;
    if (VG_(get_fnname)(VG_(current_DiEpoch)(), code, &name)) frame.name = vg::intern(name);
    const ObjectRegion region = stack_region(*stack, frame, a);
    return {region.begin, region.end, region.object, region.start};
}

bool for_each_frame_variable(Address entry, Address end, void (*f)(const VariableOfFrame& variable, void*),
                             void* argument) {
    PlacedVariables placed;
    StackFrame frame{.begin = end, .end = end, .name = own_function(entry), .code = entry};
    if (frame.name == nullptr || !list_placed_variables(entry, end, &placed)) return false;
    for (const PlacedVariable& each : placed.all)
        frame.begin = std::min(frame.begin, end + static_cast<u64>(each.from_end));
    for (const PlacedVariable& each : placed.all) {
        StackVariable found = each.variable;
        found.begin = end + static_cast<u64>(each.from_end);
        found.end += found.begin;
        const ObjectRegion region = frame_region(0, frame, found, true);
        f({each.from_end, each.variable.end, region.object, each.shape}, argument);
    }
    return placed.by_page;
}

ObjectId grown_object(const GrownPart& part) {
    StackVariable found = part.code->variable;
    found.begin = part.begin, found.end = part.end;
    return frame_region(0, {.name = part.code->function, .code = part.code->address}, found, true).object;
}

ObjectId heap_object(const heap::Block& block) { return object_of_block(block); }

ObjectId single_block(const heap::Block& block, u32 number) {
    return find_block(block, number, u64{number} << 8 | static_cast<u64>(block.kind));
}

}  // namespace memspy::places
