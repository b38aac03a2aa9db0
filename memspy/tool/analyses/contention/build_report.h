// SPDX-License-Identifier: GPL-2.0-or-later
//
// Makes the report (sharing_report.h) from the tally.
#pragma once

#include "remedies/sharing_report.h"

namespace memspy::contention {

using namespace remedies;

// Reads the tally and the objects. `report` must be empty.
void build(SharingReport& report, const ReportSettings& settings);

}  // namespace memspy::contention
