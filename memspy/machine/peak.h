// SPDX-License-Identifier: GPL-2.0-or-later
//
// The most floating-point work of a core: independent chains of multiplications and additions in the widest
// vectors that the processor has, fused where it can. A compiler may make less of a program.
#pragma once

namespace memspy::machine {

struct PeakLoop {
    const char* name;                          // of the vectors
    double operations;                         // of a round
    double (*run)(double factor, int rounds);  // the result keeps the compiler from leaving the work out
};

PeakLoop widest_loop();

}  // namespace memspy::machine
