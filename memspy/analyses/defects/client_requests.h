// SPDX-License-Identifier: GPL-2.0-or-later
//
// Requests that the client makes: memspy.h's, Memcheck's where the meaning is the same, and those of
// valgrind.h that describe the blocks of a custom allocator.
#pragma once

#include "rt/base.h"

namespace memspy::defects {

// Carries out the request arguments[0]. False when it is none of these; *result is what the client
// gets.
bool handle_client_request(u32 thread, u64* arguments, u64* result);

}  // namespace memspy::defects
