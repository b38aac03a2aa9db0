// SPDX-License-Identifier: GPL-2.0-or-later
//
// Control of the running tool by the program and from outside: client requests, and instrumentation on and
// off.
#pragma once

namespace memspy {

void register_client_requests();  // call before the command line is read

// Whether the program's accesses are analysed. Switching applies to all threads and all analyses; threads,
// system calls and the heap are always followed.
bool is_instrumentation_on();
void switch_instrumentation(bool on);

}  // namespace memspy
