// SPDX-License-Identifier: GPL-2.0-or-later
//
// The undefined bits of the program's bytes, as it may ask for and set them (VALGRIND_GET_VBITS,
// VALGRIND_SET_VBITS).
#pragma once

#include "rt/base.h"

namespace memspy::defects {

// What both requests give.
enum class BitsAnswer : u64 { Done = 1, Unaddressable = 3 };
// `bits` are the program's, a byte for each of the `bytes` at `a`. Nothing is done where one of either may
// not be accessed.
BitsAnswer get_value_bits(Address a, Address bits, usize bytes);
BitsAnswer set_value_bits(Address a, Address bits, usize bytes);

}  // namespace memspy::defects
