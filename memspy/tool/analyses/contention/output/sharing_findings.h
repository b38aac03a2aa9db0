// SPDX-License-Identifier: GPL-2.0-or-later
//
// Groups as findings for the error manager. Strings belong to the report or to its objects.
#pragma once

#include "findings/findings.h"
#include "remedies/sharing_report.h"

namespace memspy::contention {

using namespace remedies;

// Reports the first `most` findings to the error manager. Returns the number of further ones. Errors are
// reported for `guest_thread`.
u32 report_findings(SharingReport& report, u32 guest_thread, u32 most);

// A group with details as a finding.
findings::SummedRecord record_of(SharingReport& report, u32 group);

}  // namespace memspy::contention
