// SPDX-License-Identifier: GPL-2.0-or-later
//
// The locality analysis in the run's summary.
#pragma once

namespace memspy::locality {

void print_summary();

}  // namespace memspy::locality
