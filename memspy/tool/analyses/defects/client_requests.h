// SPDX-License-Identifier: GPL-2.0-or-later
//
// Requests by the client: those of memspy.h, Memcheck's with the same meaning, and those of valgrind.h that
// describe the blocks of a custom allocator.
#pragma once

#include "rt/base.h"

namespace memspy::defects {

// Carries out the request arguments[0]. Returns false if it is none of these. *result is the client's result.
bool handle_client_request(u32 thread, u64* arguments, u64* result);

}  // namespace memspy::defects
