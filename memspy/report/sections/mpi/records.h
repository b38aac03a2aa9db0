// SPDX-License-Identifier: GPL-2.0-or-later
//
// Communication: the records of <mpi>.
#pragma once

#include "report/record_type.h"

namespace memspy::report::mpi {

#define MEMSPY_FIELDS "fields/mpi.def"
#include "report/records_from.h"

// Events belong to one run: those of a second run of the same rank cannot be added.
void fold(Sends& into, const Sends& from);
void fold(Receives& into, const Receives& from);
void fold(Collectives& into, const Collectives& from);

}  // namespace memspy::report::mpi
