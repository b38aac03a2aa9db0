// SPDX-License-Identifier: GPL-2.0-or-later
//
// Rows: the figures of each (instruction, calls, object).
#pragma once

#include "analyses/cost/figures.h"
#include "analyses/cost/hierarchy.h"

namespace memspy::cost {

// `made`: the row is new.
u32 row_of(const places::Place& place, u32 object, bool& made);
rt::Vector<CostRow>& rows();
// A program has millions of rows if it calls much in many ways, and few of them matter. When there are too
// many, the three quarters that took the fewest cycles are charged to their instructions without their calls;
// and if that leaves too many, likewise three quarters of the instructions to the *rest* of their object.
// Numbers of rows change: `numbers` gets each row's new one, or kNoRow if it is no longer a row of its own.
inline constexpr u32 kNoRow = ~u32{0};
bool has_too_many_rows();
void fold_rows(rt::Vector<u32>& numbers);
bool are_rows_folded();
inline bool is_rest(const CostRow& row) { return row.place.instruction == 0; }
// Places that became part of a rest; one that came again counts again.
u64 lost_places();
void forget_rows();

void charge(CostFigures& figures, const Outcome& outcome);
void add(CostFigures& sum, const CostFigures& figures);
void subtract(CostFigures& from, const CostFigures& figures);

}  // namespace memspy::cost
