// SPDX-License-Identifier: GPL-2.0-or-later
//
// Which access of an instruction made it fault.
#pragma once

#include "vg/faults.h"

namespace memspy::instrument {

struct FaultingAccess {
    Address address = 0;
    u32 bytes = 0;  // 0: none was found
    bool stores = false;
};

// Nothing is kept while the program runs: the instruction is decoded once more, and the addresses of its
// accesses are computed from the registers.
FaultingAccess faulting_access(const vg::CodeFault& fault);

}  // namespace memspy::instrument
