// SPDX-License-Identifier: GPL-2.0-or-later
//
// When the run would end with the advised change. No Valgrind here.
#pragma once

#include "remedies/advice_case.h"

namespace memspy::remedies {

// Sets the end of a group whose advice is decided, if it is known what its events cost. The replay has the
// run's end without the false events of each suspect, and without any of them. The change removes about as
// many as the former, or some number between; of several suspects' events as many as a replay of their lines
// tells. Of what threads take turns with, it is the end without any of these events.
void set_end(const AdviceCase& c, ReportGroup& group);

}  // namespace memspy::remedies
