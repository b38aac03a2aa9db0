// SPDX-License-Identifier: GPL-2.0-or-later
//
// The names of what contention writes into the profile: see names_from.h.
#pragma once

namespace memspy::fields::contention {

#define MEMSPY_FIELDS "fields/contention.def"
#include "fields/names_from.h"

}  // namespace memspy::fields::contention
