// SPDX-License-Identifier: GPL-2.0-or-later
//
// Accesses where no memory is. The shadow knows nothing of them: memory that never was mapped counts as fine
// there, so that it needs no states. The processor finds them all, at no cost.
#pragma once

namespace memspy::defects {

void report_wild_pointers();

}  // namespace memspy::defects
