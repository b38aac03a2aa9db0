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

// What is written down of each access.
enum class AccessRecording : u8 {
    None,
    Touch,  // that its line was touched (touch.h)
    Log     // all, in the access log (access_log.h)
};

// What translations made from now on must do. Changing it needs request_flush(), or
// vg::discard_translations().
struct Policy {
    bool enabled = true;         // instrumentation is on (client requests switch it)
    bool check_accesses = true;  // against the states of bytes; when false, so are the next three
    bool undefined = true;       // follow undefined bits; without it only invalid accesses matter
    bool check_stack = false;    // stack-pointer accesses too
    bool follow_stack = false;   // mark what the stack pointer passes (stack_window.h); then check_stack too
    vg::CodeRange settled_frames;  // code whose frames count as written
    bool check_static = false;     // constant addresses too
    AccessRecording recording = AccessRecording::None;
    u32 line_bytes = 64;        // of a cache line
    bool zero_counts = false;   // count the zero bytes of each load, by instruction
    bool zero_bytes = false;    // mark which bytes of memory are ever loaded, and are not zero
    bool follow_calls = false;  // keep the shadow stacks of calls (call_tracking.h)
    // When accesses are logged: whether the code waits in loops without a hint to the processor.
    bool (*spins_without_hint)(Address code) = nullptr;
    // Likewise the effect on a lock of the function that begins there, if any.
    log::LockCall (*lock_call)(Address code) = nullptr;

    bool looks_at_anything() const {
        return check_accesses || recording != AccessRecording::None || zero_counts || zero_bytes ||
               follow_calls;
    }
};
Policy& policy();

// Has `call` made when the first code is instrumented: the first moment at which the core is all set up.
void call_at_first_code(void (*call)());

// Callback of the core.
IRSB* instrument(VgCallbackClosure* closure, IRSB* in, const VexGuestLayout* layout,
                 const VexGuestExtents* extents, const VexArchInfo* host, IRType guest_word,
                 IRType host_word);

// Statements [0, preamble_end(block)) come before the first instruction and are copied as they are.
int preamble_end(const IRSB* block);

// The two ways. Both give a whole new superblock; `fast` ends before the first instruction that has to be
// tracked, which is not the block's first.
IRSB* translate_fast(const IRSB* in);
IRSB* translate_tracking(const IRSB* in);

// True when `access` cannot touch anything but fine memory under the present policy.
bool needs_no_check(const Origin& origin);

// The running thread's frame pointer points into its stack, so code that is translated now uses it as such;
// compilers may use the register for anything else.
bool frame_pointer_is_one();

}  // namespace memspy::instrument
