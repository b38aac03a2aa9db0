// SPDX-License-Identifier: GPL-2.0-or-later
//
// The machine that --cost-machine names, for all analyses that simulate one.
#pragma once

#include "machines/description.h"
#include "rt/base.h"

namespace memspy {

struct SimulatedMachine {
    machine::Description description{};
    bool system_described = true;  // --cost-machine=auto: the system described its caches
    bool assumed_tlb = false;      // the system does not describe TLBs
    // Bytes.
    u64 last_cache() const {
        return description.cache_levels == 0 ? 0 : description.caches[description.cache_levels - 1].size;
    }
};

// Read when it is first asked for. A machine that there is not ends the run with a line that says so.
const SimulatedMachine& simulated_machine();

}  // namespace memspy
