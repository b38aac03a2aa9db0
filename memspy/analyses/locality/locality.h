// SPDX-License-Identifier: GPL-2.0-or-later
//
// The locality analysis as a whole: it reads the access log, finds the object and code of each access, and
// feeds the streams.
#pragma once

#include "analyses/locality/streams.h"
#include "analyses/locality/zones.h"

namespace memspy::locality {

bool is_on();  // if not, the functions below must not be called
Streams& streams();
const Zones& zones();

}  // namespace memspy::locality
