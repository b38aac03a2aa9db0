// SPDX-License-Identifier: GPL-2.0-or-later
//
// Faults of the program's code, before its handler or the end that they make.
#pragma once

#include "vg/vg.h"

namespace memspy::vg {

// `address` is not known (0) where the processor does not tell it: amd64 does not for addresses that no
// memory can have. The registers are those at the start of the instruction.
struct CodeFault {
    u32 guest_id;
    bool knows_address;
    Address address;
    bool is_handled;  // by the program
    bool is_jump;     // the program came to `address`, which is not executable
};
void listen_for_faults(void (*heard)(const CodeFault& fault));

// What VEX makes of the code at `first`, as the instrumentation gets it. The translation is not kept.
void look_at_code(u32 guest_id, Address first, void (*look)(const IRSB* block));
// Call where the instrumentation gets a superblock: true if that was all that is asked of it.
bool is_only_looked_at(const IRSB* block);

}  // namespace memspy::vg
