// SPDX-License-Identifier: GPL-2.0-or-later
//
// What translations record of each access from now on. As with Policy, a change takes effect with
// vg::discard_translations().
#pragma once

#include "log/records.h"

namespace memspy::instrument {

enum class AccessRecording : u8 {
    None,
    Touch,  // its cache line is marked as touched (touch.h)
    Log     // a record of the access log (access_log.h)
};

struct LogPolicy {
    AccessRecording recording = AccessRecording::None;
    bool pass_quiet = false;      // quiet accesses are not logged (log/quiet_lines.h)
    bool pass_unsampled = false;  // of accesses a sample is logged (log/word_sample.h); not with pass_quiet
    bool follow_order = false;    // with pass_unsampled: and what the order of several threads depends on
    // Whether the code waits in loops without a hint to the processor.
    bool (*spins_without_hint)(Address code) = nullptr;
    // Whether the atomic update at `code` only looks. May be null.
    bool (*is_look)(Address code) = nullptr;
    // The effect on a lock of the function that begins at `code`.
    log::LockCall (*lock_call)(Address code) = nullptr;
    // The running thread, whose log has been read, takes a lock next. Whether others are to run before. Null if
    // nobody follows the order.
    bool (*waits_before_lock)(u32 guest_id) = nullptr;

    bool passes_accesses() const { return pass_quiet || pass_unsampled; }
    bool is_logging() const { return recording == AccessRecording::Log; }
};
LogPolicy& log_policy();

}  // namespace memspy::instrument
