// SPDX-License-Identifier: GPL-2.0-or-later
//
// The functions of instructions, as small numbers from 1 on. Code without a symbol is one function for each
// module.
#pragma once

#include "rt/base.h"

namespace memspy::mix {

// `epoch`: of the core's debug information when the instruction ran. Slow for a new address.
u32 function_at(Address instruction, u32 epoch);
// Its first instruction, or one of a module's code without symbols.
Address function_entry(u32 function);

}  // namespace memspy::mix
