// SPDX-License-Identifier: GPL-2.0-or-later
//
// What threads waited for, as people know it. The replay has a row for each word and instruction
// (order/waits.h), but threads sleep on several words of one condition variable by turns, in several places
// of its library. Rows of one name and one place in the program are one here. No Valgrind here.
#pragma once

#include "analyses/contention/sharing_report.h"

namespace memspy::contention {

// Fills report.waits, its parts, its threads' times, and report.waited. Waits of less than a thousandth of the
// longest are left out.
void collect_waits(SharingReport& report);

}  // namespace memspy::contention
