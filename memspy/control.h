// SPDX-License-Identifier: GPL-2.0-or-later
//
// What the program, and people from outside, ask of the running tool: client requests, and instrumentation on
// and off.
#pragma once

namespace memspy {

void register_client_requests();  // before the command line

// Whether the program's accesses are looked at. Switching is for all threads and all analyses; threads,
// system calls and the heap are followed all the time.
bool is_instrumentation_on();
void switch_instrumentation(bool on);

}  // namespace memspy
