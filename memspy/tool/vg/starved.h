// SPDX-License-Identifier: GPL-2.0-or-later
//
// How long the process could have run but had no processor.
#pragma once

#include "rt/base.h"

namespace memspy::vg {

// Microseconds since the process began, of its first thread, by the kernel's own count (/proc/self/schedstat); 0
// where it keeps none. Takes a system call or four.
u64 starved_microseconds();

}  // namespace memspy::vg
