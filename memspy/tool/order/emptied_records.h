// SPDX-License-Identifier: GPL-2.0-or-later
//
// What is left of records that are no work of the program: of a poll nothing, of a function on locks the
// update that takes or gives the lock. The record keeps its length.
#pragma once

#include "order/recording.h"

namespace memspy::order {

// The number of a shape of the same length without accesses, for a record that is not an access.
u32 empty_shape(u32 number);
// Of a shape of the same length with nothing but its use number `use`, in its first instruction.
u32 shape_of_use(u32 number, usize use);
// What a thread executes between two polls of one wait takes no time and is no access.
void make_empty(u64* from, const u64* end, Time at = kNever);

}  // namespace memspy::order
