// SPDX-License-Identifier: GPL-2.0-or-later
//
// The locality analysis in the summary at the end of a run.
#pragma once

namespace memspy::locality {

void print_summary();

}  // namespace memspy::locality
