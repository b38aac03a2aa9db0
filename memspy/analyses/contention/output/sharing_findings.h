// SPDX-License-Identifier: GPL-2.0-or-later
//
// Groups as the error manager wants findings. Strings belong to the report or to its objects.
#pragma once

#include "analyses/contention/sharing_report.h"
#include "findings/findings.h"

namespace memspy::contention {

// Hands the first `most` findings to the error manager. Gives how many there are beyond them. `guest_thread`
// is the one that errors are reported for.
u32 report_findings(SharingReport& report, u32 guest_thread, u32 most);

// A group with details as the error manager wants it.
findings::SummedRecord record_of(SharingReport& report, u32 group);

}  // namespace memspy::contention
