// SPDX-License-Identifier: GPL-2.0-or-later
//
// Rows: the figures of each (instruction, calls, object).
#pragma once

#include "analyses/cost/cost.h"
#include "analyses/cost/hierarchy.h"

namespace memspy::cost {

// `made`: the row is new.
u32 row_of(const places::Place& place, u32 object, bool& made);
rt::Vector<CostRow>& rows();
void forget_rows();

void charge(CostFigures& figures, const Outcome& outcome);
void add(CostFigures& sum, const CostFigures& figures);
void subtract(CostFigures& from, const CostFigures& figures);

}  // namespace memspy::cost
