// SPDX-License-Identifier: GPL-2.0-or-later
//
// The note of an analysis that uses the replay's order, if the log was too small for all records that had to
// wait.
#pragma once

#include "log/consumer.h"
#include "rt/text.h"

namespace memspy {

// Returns false if there is nothing to report.
inline bool add_order_note(rt::Text& text) {
    const u64 forced = log::times_forced();
    if (forced == 0) return false;
    text.add("  The access log was full ").add_number(forced).add(forced == 1 ? " time" : " times");
    text.add(": some threads' accesses are out of order. A larger --access-log-size= avoids that.");
    return true;
}

}  // namespace memspy
