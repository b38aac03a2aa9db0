// SPDX-License-Identifier: GPL-2.0-or-later
//
// Which object an address is part of, for every access: what places/objects knows, remembered by cache line.
// A stack is one object.
#pragma once

#include "places/objects.h"

namespace memspy::locality {

void start_places();  // after the command line

// Of the bytes around `a` now.
const places::Extent& extent_of(Address a);

}  // namespace memspy::locality
