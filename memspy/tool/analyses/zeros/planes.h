// SPDX-License-Identifier: GPL-2.0-or-later
//
// Zeros in the dimensions of an array: the elements with one index in one of them make a plane (of two
// dimensions, a stripe). Dimensions are those that the source declares; a stride in bytes says nothing of
// planes across it. Uses byte marks only.
#pragma once

#include "analyses/zeros/pattern.h"

namespace memspy::zeros {

// The first index is the slowest in memory.
struct ArrayDimensions {
    static constexpr u32 kMost = 7;
    u32 count = 0;
    u64 lengths[kMost] = {};
    u64 element = 0;             // bytes
    bool first_fastest = false;  // as the source writes them, which is the other way round then (Fortran)

    u64 bytes() const {
        u64 all = element;
        for (u32 i = 0; i < count; ++i) all *= lengths[i];
        return all;
    }
};

struct PlanePattern {
    u32 dimension = 0, dimensions = 0;  // as the source writes them; dimensions 0: nothing found
    bool first_fastest = false;
    u64 element = 0;  // bytes
    ZeroShare share;
};
// The dimension with the largest share of planes in which all that was loaded is zero, if there are such
// planes and others. A plane of which nothing was loaded is zero if its memory is. `readable`: the memory can
// be read now.
PlanePattern find_planes(Address begin, const ArrayDimensions& array, bool readable);

}  // namespace memspy::zeros
