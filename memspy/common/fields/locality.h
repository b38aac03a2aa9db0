// SPDX-License-Identifier: GPL-2.0-or-later
//
// The names of what locality writes into the profile: see names_from.h.
#pragma once

namespace memspy::fields::locality {

#define MEMSPY_FIELDS "fields/locality.def"
#include "fields/names_from.h"

}  // namespace memspy::fields::locality
