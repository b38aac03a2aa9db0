// SPDX-License-Identifier: GPL-2.0-or-later
//
// The caches that the processor describes itself, by the instruction CPUID (x86: leaf 4, AMD's 0x8000001D).
#pragma once

#include <vector>

#include "machine/system.h"

namespace memspy::machine {

// Data and unified ones; none where there is no such instruction, or no such leaf.
std::vector<ReportedCache> caches_of_cpuid();

}  // namespace memspy::machine
