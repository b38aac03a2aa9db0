// SPDX-License-Identifier: GPL-2.0-or-later
//
// Control of the running tool by the program and from outside: instrumentation on and off, and the profile up
// to now.
#pragma once

namespace memspy {

// Whether the program's accesses are analysed. Switching applies to all threads and all analyses; threads,
// system calls and the heap are always followed.
bool is_instrumentation_on();
void switch_instrumentation(bool on);

// Whether a profile is written at the end. A file that the user did not name is only written if there is
// something to read in it, under -q only if an analysis was asked for.
bool wants_profile();
// The program may be killed soon: writes the profile up to here, if one is wanted; one at the end replaces
// it. `rarely`: this may come often, and the program keeps nearly all of its time.
void save_profile(bool rarely);

}  // namespace memspy
