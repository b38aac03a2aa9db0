// SPDX-License-Identifier: GPL-2.0-or-later
//
// The program's own allocator, where no defects are looked for: it works as natively, so that blocks lie as
// they do without memspy, and its calls are followed. See preload/allocator.c, which sends the requests.
#pragma once

#include "rt/base.h"

namespace memspy::client {

// Replaces the program's allocator if accesses are checked or somebody wants that, else follows it. Call once
// the policy is known.
void start_heap();
// For an analysis of the program's calls alone, which the instructions of its allocator would only disturb.
void want_replacement();

// False when it is no request of the wrappers.
bool handle_request(u32 thread, const u64* arguments, u64* result);

}  // namespace memspy::client
