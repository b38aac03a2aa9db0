// SPDX-License-Identifier: GPL-2.0-or-later
//
// The object of every access: that of places/objects, remembered by cache line.
// A stack is one object.
#pragma once

#include "places/objects.h"

namespace memspy::locality {

void start_places();  // after the command line

// Of the bytes around `a` now.
const places::Extent& extent_of(Address a);

}  // namespace memspy::locality
