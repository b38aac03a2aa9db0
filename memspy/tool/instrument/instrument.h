// SPDX-License-Identifier: GPL-2.0-or-later
//
// The instrumentation pass: superblock in, superblock out. See docs/internals.md for how fast and tracking
// translations divide the work.
#pragma once

#include "instrument/access.h"
#include "instrument/trip.h"
#include "log/records.h"
#include "vg/modules.h"

namespace memspy::instrument {

// What is recorded of each access.
enum class AccessRecording : u8 {
    None,
    Touch,  // its cache line is marked as touched (touch.h)
    Log     // a record of the access log (access_log.h)
};

// No client has memory below this address: a null pointer and an offset. Constant addresses there are checked.
inline constexpr Address kNullBytes = Address{1} << 16;

// How translations are made from now on. A change takes effect with request_flush(), for accesses unchecked so far, or
// vg::discard_translations().
struct Policy {
    bool enabled = true;           // instrumentation is on (client requests switch it)
    bool check_accesses = true;    // check the states of bytes; if false, the next three are false, too
    bool undefined = true;         // follow undefined bits; if false, only invalid accesses matter
    bool check_stack = false;      // check accesses off the stack pointer, too
    bool follow_stack = false;     // mark memory the stack pointer passes (stack_window.h); needs check_stack
    vg::CodeRange settled_frames;  // code whose new frames count as written
    bool check_static = false;     // check constant addresses, too
    AccessRecording recording = AccessRecording::None;
    u32 line_bytes = 64;            // of a cache line
    bool pass_quiet = false;        // quiet accesses are not logged (log/quiet_lines.h)
    bool pass_unsampled = false;    // of accesses a sample is logged (log/word_sample.h); not with pass_quiet
    bool follow_order = false;      // with pass_unsampled: and what the order of several threads depends on
    bool zero_counts = false;       // count the zero bytes of each load, by instruction
    bool zero_bytes = false;        // mark which bytes of memory are loaded, and which of them are not zero
    bool operation_counts = false;  // count instructions and branches (operation_counts.h)
    bool follow_calls = false;      // keep the shadow stacks of calls (call_tracking.h)
    // With zero_bytes: whether the code copies data of all types (memcpy), so that its words are no integers.
    bool (*copies_any_type)(Address code) = nullptr;
    // If accesses are logged: whether the code waits in loops without a hint to the processor.
    bool (*spins_without_hint)(Address code) = nullptr;
    // If accesses are logged: the effect on a lock of the function that begins at `code`.
    log::LockCall (*lock_call)(Address code) = nullptr;

    bool passes_accesses() const { return pass_quiet || pass_unsampled; }
    bool looks_at_anything() const {
        return check_accesses || recording != AccessRecording::None || zero_counts || zero_bytes ||
               operation_counts || follow_calls;
    }
};
Policy& policy();

// Has `call` called when the first code is instrumented, the first moment at which the core is fully
// initialised.
void call_at_first_code(void (*call)());

// Callback of the core.
IRSB* instrument(VgCallbackClosure* closure, IRSB* in, const VexGuestLayout* layout,
                 const VexGuestExtents* extents, const VexArchInfo* host, IRType guest_word,
                 IRType host_word);

// Statements [0, preamble_end(block)) come before the first instruction and are copied unchanged.
int preamble_end(const IRSB* block);

// The two kinds of translation. Each returns a complete new superblock. `fast` ends before the first
// instruction that has to be tracked, which must not be the block's first.
IRSB* translate_fast(const IRSB* in);
IRSB* translate_tracking(const IRSB* in);

// True if `access` cannot touch anything but fine memory under the present policy.
bool needs_no_check(const Origin& origin);

// Whether the superblock at `first` may go on behind jumps and calls. Tracking translations need that to recognise
// `a && b` with the operands exchanged. Fast ones are made sooner without: code that is reached from several places is
// translated once.
bool may_chase(Address first);

// A frame pointer that is further above the stack pointer is taken for another value.
inline constexpr u64 kLargestFrame = 1 << 16;
// True if the running thread's frame pointer points into its stack, so that code translated now uses it as a
// frame pointer. Compilers may use the register for anything else.
bool frame_pointer_is_one();

}  // namespace memspy::instrument
