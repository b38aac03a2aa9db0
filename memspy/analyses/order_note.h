// SPDX-License-Identifier: GPL-2.0-or-later
//
// What an analysis that takes accesses in the replay's order says when the log had no room for all that had to wait.
#pragma once

#include "log/consumer.h"
#include "rt/text.h"

namespace memspy {

// False when there is nothing to say.
inline bool add_order_note(rt::Text& text) {
    const u64 forced = log::times_forced();
    if (forced == 0) return false;
    text.add("  The access log was full ").add_number(forced).add(forced == 1 ? " time" : " times");
    text.add(": some threads' accesses are out of order. A larger --access-log-size= avoids that.");
    return true;
}

}  // namespace memspy
