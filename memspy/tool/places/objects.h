// SPDX-License-Identifier: GPL-2.0-or-later
//
// Finds the object that owns an address (object.h).
//
// The owner is that at the time of the call. A freed heap block counts as long as it is in quarantine. The
// stack of a thread that is gone counts until another thread gets it, but its frames are not known.
#pragma once

#include "dwarf/types.h"
#include "places/grown_parts.h"
#include "places/object.h"
#include "places/regions.h"
#include "places/thread_stacks.h"

namespace memspy::places {

// Call when the run starts, by each who finds objects: stacks are known by what their threads do.
void follow_stacks();
// Finds (or makes) the object that `a` belongs to now. Slow: the caller caches extents by line and drops them
// when heap memory gets another owner.
Extent find_extent(Address a);
// The same for all the bytes around `a`, however many: a stack as a whole, without a name; a symbol, a
// mapping. For addresses outside the client's heap. Ignores blocks that the client described.
Extent find_whole(Address a);
// Where a thread is, or was when it made accesses that are looked at now.
struct StackPosition {
    threads::CallPath path{};
    Address code = 0;  // of the innermost function
    // Where frames of a path are, as in threads/frame_slots.h.
    Address (*slot_of)(u32 thread, threads::CallPath path) = nullptr;
    const GrownParts* grown = nullptr;  // as they were then
};
// The bytes around `a` on a stack, `whole`: a variable's of one of the program's own functions, which is one
// object for all frames of that function. False if `a` is in none that is known; the extent then has the
// bytes that are in none either, and the object of the whole stack. It holds for all paths that are not above
// `below` (threads::is_below).
struct StackPart {
    Extent extent;
    threads::CallPath below{};
    u32 turn = 0;  // other frames of a recursion have the same, so many bytes below or above; 0: none do
};
bool find_stack_part(const Extent& whole, const StackPosition& at, Address a, StackPart* part);
// The same in a frame that was left: it had [begin, end), and `code` ran in its function.
Extent find_in_left_frame(Address code, Address begin, Address end, Address a);
// All variables of the program's own function that begins at `entry`, in its frames that end at `end`: bytes
// [end + from_end, end + from_end + bytes), where from_end < 0. Slow. Returns whether frames that end
// elsewhere in a page have them in other places.
struct VariableOfFrame {
    i64 from_end = 0;
    usize bytes = 0;
    ObjectId object{};
    dwarf::DeclaredDimensions shape;
};
bool for_each_frame_variable(Address entry, Address end, void (*f)(const VariableOfFrame& variable, void*),
                             void* argument);
// The object of a part of frames that their function takes as it goes: one for all frames.
ObjectId grown_object(const GrownPart& part);
// The object of a heap block. The block does not count as one found on a shared line.
ObjectId heap_object(const heap::Block& block);
// An object of this block alone, beside that of all blocks of its allocation: the block with that number.
ObjectId single_block(const heap::Block& block, u32 number);

}  // namespace memspy::places
