// SPDX-License-Identifier: GPL-2.0-or-later
//
// Requests that the client makes: memspy.h's, Memcheck's where the meaning is the same, and those of
// valgrind.h that describe the blocks of a custom allocator.
#pragma once

namespace memspy::defects {

void register_client_requests();

}  // namespace memspy::defects
