// SPDX-License-Identifier: GPL-2.0-or-later
//
// Reads the access log, finds the object and code of each access, and feeds the streams.
#pragma once

#include "analyses/locality/advice.h"
#include "analyses/locality/maps.h"
#include "analyses/locality/streams.h"
#include "analyses/locality/zones.h"

namespace memspy::locality {

void start_reading();
bool is_on();  // whether it was started; if not, the functions below must not be called
Streams& streams();
const Zones& zones();
const Maps& maps();  // their layers are numbers of zones
// Of this machine, in bytes, the smallest first; assumed where the system does not tell.
const rt::Vector<u64>& caches();
const Walks& walks();
void find_advice(rt::Vector<LocalityAdvice>& advice);

}  // namespace memspy::locality
