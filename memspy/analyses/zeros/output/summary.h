// SPDX-License-Identifier: GPL-2.0-or-later
//
// The summary on redundant zeros at the end of a run, for people.
#pragma once

#include "rt/base.h"

namespace memspy::zeros {

// Prints it to the log; nothing when the analysis is off or has found nothing, with -q and in XML mode. At
// most `top` rows that are findings, and as many objects with at least `threshold` millionths of what is
// redundant in all of them.
void print_zeros_summary(u32 top, u32 threshold);

}  // namespace memspy::zeros
