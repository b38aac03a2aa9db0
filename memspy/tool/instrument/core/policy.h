// SPDX-License-Identifier: GPL-2.0-or-later
//
// How translations are made from now on: what of the program's states is checked. What observers add has
// settings in the observers' rooms.
#pragma once

#include "vg/modules.h"

namespace memspy::instrument {

// A change takes effect with request_flush(), for accesses unchecked so far, or vg::discard_translations().
struct Policy {
    bool enabled = true;           // instrumentation is on (client requests switch it)
    bool check_accesses = true;    // check the states of bytes; if false, the next three are false, too
    bool undefined = true;         // follow undefined bits; if false, only invalid accesses matter
    bool check_stack = false;      // check accesses off the stack pointer, too
    bool follow_stack = false;     // mark memory the stack pointer passes (stack_window.h); needs check_stack
    vg::CodeRange settled_frames;  // code whose new frames count as written
    bool check_static = false;     // check constant addresses, too
    u32 line_bytes = 64;           // of a cache line
};
Policy& policy();

}  // namespace memspy::instrument
