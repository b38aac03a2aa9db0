// SPDX-License-Identifier: GPL-2.0-or-later
//
// What the program wrote while instrumentation was off.
#pragma once

namespace memspy::defects {

// While instrumentation is off, the program's writes are not seen: marks all memory and all registers as
// written. Call before any question about definedness at such a time. It is also called when instrumentation
// is switched on again.
void define_what_was_not_seen();

}  // namespace memspy::defects
