// SPDX-License-Identifier: GPL-2.0-or-later
//
// All figures of the machine that this runs on, and where they differ from those of the system and of CPUID.
#pragma once

#include <string>
#include <vector>

#include "machine/cpuid.h"
#include "machine/disk.h"
#include "machine/hierarchy.h"
#include "machine/rates.h"
#include "machine/system.h"

namespace memspy::machine {

struct Measured {
    System system;
    MeasuredHierarchy hierarchy;
    Rates rates;
    Disk disk;
    std::vector<ReportedCache> cpuid;
    std::vector<ReportedTlb> cpuid_tlbs;
    std::string counters;  // what the processor's counters were good for
    // Of the time of the search for caches: in which this program had a processor.
    double processor_share = 1;
    std::vector<std::string> disagreements;
};

// Takes about so long.
Measured measure(double seconds);

}  // namespace memspy::machine
