// SPDX-License-Identifier: GPL-2.0-or-later
//
// The square root of a double, without libm; 0 of what is negative or no number. For figures that are printed: the last
// bits may differ from those of libm.
#pragma once

#include "rt/base.h"

namespace memspy::rt {

inline double square_root(double square) {
    if (!(square > 0)) return 0;
    double root = square > 1 ? square : 1;
    constexpr u32 kSteps = 60;  // Newton's: halve what is far too large, then double the digits
    for (u32 i = 0; i < kSteps; ++i) root = (root + square / root) / 2;
    return root;
}

}  // namespace memspy::rt
