// SPDX-License-Identifier: GPL-2.0-or-later
//
// The memory that is nearest to an address at which there is none.
#pragma once

#include "findings/findings.h"

namespace memspy::findings {

struct NearestMemory {
    enum class NearestKind : u8 { Nothing, Block, Mapping };
    NearestKind what = NearestKind::Nothing;
    bool is_below = false;       // the memory lies below the address
    u64 distance = 0;            // bytes between them
    usize size = 0;              // Block
    ContextId allocated{};       // Block
    const char* file = nullptr;  // Mapping: null if it is of no file
};

// Nothing if the program has memory there, or near a null pointer. Slow: looks at all mappings and blocks.
NearestMemory nearest_memory(Address a);

}  // namespace memspy::findings
