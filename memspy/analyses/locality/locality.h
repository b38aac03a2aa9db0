// SPDX-License-Identifier: GPL-2.0-or-later
//
// The locality analysis as a whole: it reads the access log, names what each access belongs to, and has its streams
// measured.
#pragma once

#include "analyses/locality/streams.h"
#include "analyses/locality/zones.h"

namespace memspy::locality {

bool is_on();  // what follows is there then
Streams& streams();
const Zones& zones();

}  // namespace memspy::locality
