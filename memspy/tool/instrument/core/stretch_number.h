// SPDX-License-Identifier: GPL-2.0-or-later
//
// Names a stretch of code whose counts are kept by call path (context_cells.h). No Valgrind here.
#pragma once

#include "rt/base.h"

namespace memspy::instrument {

struct StretchNumber {
    u32 number;  // from 1

    // The number as generated code has it in its constants.
    u64 tag() const { return u64{number} << 32; }
    u64 spread() const { return u64{number} * 0x9E3779B1u; }
};

}  // namespace memspy::instrument
