// SPDX-License-Identifier: GPL-2.0-or-later
//
// Which rows and pairs of threads stand for a group: the most contended ones for its details, and two rows
// whose stacks a finding shows, one for each side. Groups must be in their order.
//
// Rows may be very many: each function goes through them once and keeps few.
#pragma once

#include "remedies/sharing_report.h"

namespace memspy::contention {

using namespace remedies;

// Fills `rows` and `pairs` of the groups that have details.
void place_rows(SharingReport& report);

// Fills `sides` of the findings that have details. Needs the pairs.
void choose_sides(SharingReport& report);

}  // namespace memspy::contention
