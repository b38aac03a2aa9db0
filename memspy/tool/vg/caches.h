// SPDX-License-Identifier: GPL-2.0-or-later
//
// The data caches of this machine, as its system describes them.
#pragma once

#include "rt/base.h"

namespace memspy::vg {

struct SystemCache {
    u64 level = 0, size = 0, line = 0, ways = 0;  // 0: not described
};
inline constexpr u32 kMostSystemCaches = 8;
// In the system's order; how many there are.
u32 system_caches(SystemCache (&caches)[kMostSystemCaches]);

// Reads a small file; its length, 0 when there is none.
u64 read_file(const char* path, char* into, u64 room);

}  // namespace memspy::vg
