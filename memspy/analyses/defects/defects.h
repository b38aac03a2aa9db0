// SPDX-License-Identifier: GPL-2.0-or-later
//
// The defects analysis as a whole.
#pragma once

namespace memspy::defects {

// While instrumentation is off the program's writes are not seen: takes all memory and all registers for
// written. Call before anybody asks then what is defined; it is also done when it is switched on again.
void define_what_was_not_seen();

}  // namespace memspy::defects
