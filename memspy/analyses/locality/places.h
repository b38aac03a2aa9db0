// SPDX-License-Identifier: GPL-2.0-or-later
//
// The object of every access, as in places/objects, cached by line. A stack is one object.
#pragma once

#include "places/objects.h"

namespace memspy::locality {

void start_places();  // after the command line

// The extent of the bytes around `a` now.
const places::Extent& extent_of(Address a);

}  // namespace memspy::locality
