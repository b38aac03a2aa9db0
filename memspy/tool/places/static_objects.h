// SPDX-License-Identifier: GPL-2.0-or-later
//
// Objects of static data: variables by the symbols of their module, members of COMMON blocks, sections.
#pragma once

#include "places/regions.h"

namespace memspy::places {

// The name of a symbol as in the source.
const char* readable_name(const char* symbol);
// Whether it may be a COMMON block's.
bool may_be_common(const char* symbol);
// The variable around `a`, or for want of one its section. False if it is in no module's data.
bool static_region(Address a, ObjectRegion* region);

}  // namespace memspy::places
