// SPDX-License-Identifier: GPL-2.0-or-later
//
// The names of the elements before the sections: see names_from.h.
#pragma once

namespace memspy::fields::common {

#define MEMSPY_FIELDS "fields/common.def"
#include "fields/names_from.h"

}  // namespace memspy::fields::common
