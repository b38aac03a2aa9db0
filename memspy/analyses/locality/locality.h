// SPDX-License-Identifier: GPL-2.0-or-later
//
// The locality analysis as a whole: it reads the access log, names the owner of each access, and has its streams
// measured.
#pragma once

#include "analyses/locality/streams.h"
#include "analyses/locality/zones.h"

namespace memspy::locality {

bool is_on();  // only then are the functions below of use
Streams& streams();
const Zones& zones();

}  // namespace memspy::locality
