// SPDX-License-Identifier: GPL-2.0-or-later
//
// The program's own allocator, where no defects are looked for: it works as natively, so that blocks lie as they
// do without memspy, and its calls are followed. See preload/allocator.c, which sends the requests.
#pragma once

#include "rt/base.h"

namespace memspy::client {

// From the program's first call on, and for all of them; instead of start_replacement (client/replacement.h).
void follow_allocator();

// False when it is no request of the wrappers.
bool handle_request(u32 thread, const u64* arguments, u64* result);

}  // namespace memspy::client
