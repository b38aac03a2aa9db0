// SPDX-License-Identifier: GPL-2.0-or-later
//
// The summary on redundant zeros at the end of a run.
#pragma once

#include "rt/base.h"

namespace memspy::zeros {

// Whether the summary has something to say.
bool has_findings();

// Prints it to the log; nothing if the analysis is off or has found nothing, with -q, and in XML mode. At
// most `top` rows that are findings, and at most `top` objects with at least `threshold` millionths of the
// redundant bytes of all objects.
void print_zeros_summary(u32 top, u32 threshold);

}  // namespace memspy::zeros
