// SPDX-License-Identifier: GPL-2.0-or-later
//
// False sharing that another layout would bring (latent.h).
#pragma once

#include "rt/base.h"

namespace memspy::contention {

struct LatentFinding {
    u32 line_bytes = 64;
    u32 moved = 0;
    u32 first_member = 0, members = 0;  // objects, most events first
    u64 events = 0, accesses = 0;       // estimates for the whole run
};

}  // namespace memspy::contention
