// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyses/defects/leak_roots.h"

#include <algorithm>

#include "heap/heap.h"
#include "vg/static_program.h"
#include "vg/vg.h"

namespace memspy::defects {

namespace {

static_assert(LeakRoots::kNoThread == VG_INVALID_THREADID);

// The free part of a stack reaches from the stack pointer down to the end of its mapping. It surely holds
// nothing else only if the mapping below is a guard or the reservation for the stack's growth: a program may
// have made a stack in the middle of other data. Empty if in doubt. `red_zone` is the size that the ABI lets
// a function use below the stack pointer; a thread that has ended no longer uses it.
RootRange free_part_of_stack(Address stack_pointer, Address highest_byte, usize size, usize red_zone) {
    RootRange none = {0, 0};
    Address lowest = highest_byte + 1 - size;
    if (stack_pointer < lowest || stack_pointer > highest_byte) return none;  // it is on another stack
    const NSegment* segment = VG_(am_find_nsegment)(stack_pointer);
    if (segment == nullptr || segment->isCH) return none;
    Address begin = segment->start;
    const NSegment* below = VG_(am_find_nsegment)(begin - 1);
    if (below == nullptr || below->hasR) return none;
    Address end = stack_pointer - red_zone;
    return end > begin ? RootRange{begin, end} : none;
}

// A static program writes pointers of its C library to memory that it then makes read-only (RELRO). Elsewhere
// the dynamic linker does so, which has a heap of its own by then.
bool may_have_been_written(const NSegment& segment) {
    return segment.kind == SkFileC && !segment.hasX && vg::is_static_program_loaded();
}

bool same_object(DiEpoch epoch, Address a, Address b) {
    DebugInfo* object = VG_(find_DebugInfo)(epoch, a);
    return object != nullptr && object == VG_(find_DebugInfo)(epoch, b);
}

// At the end of a run the C library's exit functions are on the stack of the thread that called exit. They
// keep no pointer to the program's blocks. But in slots that they never wrote there are values of the
// program's own functions, so that a lost block would look reachable. Returns the address above which the
// stack is the program's own; 0 if nothing is to be left out.
Address end_of_exit_frames(u32 thread) {
    // Space in which exit and its first callee save registers: these may hold the program's only pointer.
    constexpr Address kSavedRegisters = 128;
    // main's callers: two functions of the C library and the program's entry.
    constexpr UInt kFramesBelowMain = 3;
    constexpr UInt kDepth = 64;
    Addr ips[kDepth], sps[kDepth], fps[kDepth];
    UInt depth = VG_(get_StackTrace)(thread, ips, kDepth, sps, fps, 0);
    DiEpoch epoch = VG_(current_DiEpoch)();
    // Beyond the program's entry the unwinder may continue into memory that is not code.
    for (UInt i = 0; i < depth; ++i)
        if (VG_(find_DebugInfo)(epoch, ips[i]) == nullptr) depth = i;

    UInt exit_frame = depth;
    for (UInt i = 0; i < depth; ++i) {
        const HChar* name;
        if (VG_(get_fnname)(epoch, ips[i], &name) && VG_(strcmp)(name, "exit") == 0) exit_frame = i;
    }
    if (exit_frame + 1 >= depth) return 0;
    for (UInt i = 0; i < exit_frame; ++i) {
        // A function of the program that exit called, and that ended the run. Its pointers still count.
        const HChar* object;
        if (same_object(epoch, ips[i], ips[exit_frame])) continue;
        if (VG_(get_objname)(epoch, ips[i], &object) && VG_(strstr)(object, "/vgpreload_") != nullptr)
            continue;
        return 0;
    }
    bool main_returned = depth - 1 - exit_frame <= kFramesBelowMain &&
                         same_object(epoch, ips[exit_frame], ips[exit_frame + 1]);
    return main_returned ? sps[exit_frame + 1] : sps[exit_frame + 1] - kSavedRegisters;
}

}  // namespace

void LeakRoots::note_thread_exit(u32 thread) {
    ended_signal_stack_ = VG_(thread_get_altstack_min)(thread);
    RootRange range = free_part_of_stack(VG_(get_SP)(thread), VG_(thread_get_stack_max)(thread),
                                         VG_(thread_get_stack_size)(thread), 0);
    if (range.begin == range.end) return;
    for (RootRange& other : ended_) {
        if (other.begin != range.begin) continue;
        other = range;
        return;
    }
    ended_.push_back(range);
}

rt::Vector<RootRange> LeakRoots::free_stacks(u32 exiting_thread) {
    rt::Vector<RootRange> free;  // ascending after sorting
    ThreadId thread;
    Addr low, high;
    VG_(thread_stack_reset_iter)(&thread);
    while (VG_(thread_stack_next)(&thread, &low, &high)) {
        if (thread == exiting_thread) continue;
        RootRange range =
            free_part_of_stack(low, high, VG_(thread_get_stack_size)(thread), VG_STACK_REDZONE_SZB);
        if (range.begin != range.end) free.push_back(range);
        // A running thread may have the stack of an ended one, or part of it.
        for (usize i = 0; i < ended_.size();) {
            if (low >= ended_[i].begin && low < ended_[i].end) {
                ended_[i] = ended_.back();
                ended_.pop_back();
            } else {
                ++i;
            }
        }
    }
    if (exiting_thread != kNoThread) {
        // The core no longer counts this thread among the threads, but still has its registers.
        Address stack_pointer = VG_(get_SP)(exiting_thread);
        RootRange range = free_part_of_stack(stack_pointer, stack_pointer, 1, 0);
        if (range.begin != range.end) {
            Address own = end_of_exit_frames(exiting_thread);
            const NSegment* segment = VG_(am_find_nsegment)(stack_pointer);
            if (own > range.end && own <= segment->end) range.end = own;
            free.push_back(range);
        }
    }
    for (const RootRange& range : ended_) {
        // Check that it is still the same mapping. A stack has a guard below it, other mappings hardly ever.
        const NSegment* segment = VG_(am_find_nsegment)(range.begin);
        if (segment == nullptr || segment->start != range.begin || segment->end + 1 < range.end) continue;
        const NSegment* below = VG_(am_find_nsegment)(range.begin - 1);
        if (below == nullptr || below->hasR) continue;
        free.push_back(range);
    }
    std::sort(free.begin(), free.end(),
              [](const RootRange& a, const RootRange& b) { return a.begin < b.begin; });
    return free;
}

rt::Vector<Address> LeakRoots::signal_stacks() const {
    rt::Vector<Address> stacks;
    ThreadId thread;
    Addr low, high;
    VG_(thread_stack_reset_iter)(&thread);
    while (VG_(thread_stack_next)(&thread, &low, &high))
        stacks.push_back(VG_(thread_get_altstack_min)(thread));
    stacks.push_back(ended_signal_stack_);
    return stacks;
}

rt::Vector<RootRange> LeakRoots::ranges(u32 exiting_thread) {
    rt::Vector<RootRange> roots;
    rt::Vector<RootRange> holes = free_stacks(exiting_thread);
    Int count = 0;
    Addr* starts = VG_(get_segment_starts)(SkFileC | SkAnonC | SkShmC, &count);
    for (Int i = 0; i < count; ++i) {
        const NSegment* segment = VG_(am_find_nsegment)(starts[i]);
        if (segment == nullptr || !segment->hasR || segment->isCH) continue;
        if (!segment->hasW && !may_have_been_written(*segment)) continue;
        if (heap::is_heap_memory(segment->start)) continue;
        if (segment->kind == SkFileC && (VKI_S_ISCHR(segment->mode) || VKI_S_ISBLK(segment->mode))) {
            // Reading a device may hang or have effects. Only the device of zeros is plain memory.
            const HChar* name = VG_(am_get_filename)(segment);
            if (name == nullptr || VG_(strcmp)(name, "/dev/zero") != 0) continue;
        }
        // The table of segments may move when the list grows, so the values are copied now.
        Address at = segment->start;
        Address end = segment->end + 1;
        for (const RootRange& hole : holes) {
            if (hole.end <= at || hole.begin >= end) continue;
            if (hole.begin > at) roots.push_back({at, hole.begin});
            at = hole.end;
        }
        if (at < end) roots.push_back({at, end});
    }
    VG_(free)(starts);
    return roots;
}

}  // namespace memspy::defects
