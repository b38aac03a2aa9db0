// SPDX-License-Identifier: GPL-2.0-or-later
//
// The findings of the run once more, a line each: what was printed first is far up by the end of the text of
// a run with threads.
#pragma once

#include "findings/record.h"

namespace memspy::findings {

// Of a finding made of sums, when it is printed.
void note_for_recap(const SummedRecord& record);

}  // namespace memspy::findings
