// SPDX-License-Identifier: GPL-2.0-or-later
//
// How the process ends.
#pragma once

namespace memspy::vg {

// Whether it is about to end by a signal for which the program has no handler.
bool ends_by_signal();
// Has `last` called when the core has written everything, and the process ends with a status of its own.
void call_last(void (*last)());

}  // namespace memspy::vg
