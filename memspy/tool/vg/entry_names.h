// SPDX-License-Identifier: GPL-2.0-or-later
//
// All names of the function that begins at an address. A C library gives one piece of code several names, as
// pthread_spin_init and pthread_spin_unlock in glibc 2.36, and the core tells one of them.
#pragma once

#include "rt/base.h"

namespace memspy::vg {

// Calls f(name, argument) for each name until it returns true. Returns whether it did.
bool any_name_of_entry(Address code, bool (*f)(const char* name, void* argument), void* argument);

}  // namespace memspy::vg
