// SPDX-License-Identifier: GPL-2.0-or-later
//
// The caches and translation buffers that the processor describes itself, by the instruction CPUID (x86:
// leaves 4 and 0x18, AMD's 0x8000001D, 0x80000005 and 0x80000006).
#pragma once

#include <vector>

#include "machine/system.h"

namespace memspy::machine {

// Data and unified ones; none where there is no such instruction, or no such leaf.
std::vector<ReportedCache> caches_of_cpuid();

struct ReportedTlb {
    int level = 0;
    u64 entries = 0;
};
// Those of data, for pages of 4 KiB.
std::vector<ReportedTlb> tlbs_of_cpuid();

}  // namespace memspy::machine
