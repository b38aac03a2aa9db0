// SPDX-License-Identifier: GPL-2.0-or-later
//
// Calls of memspy's replacements of libc's functions on memory and strings, in which an access is at fault.
// They copy words of several sizes, so one call may have several such accesses; but it is one error, about
// all its bytes.
#pragma once

#include "rt/base.h"

namespace memspy::defects {

// Whether the code belongs to such a replacement.
bool is_replacement(Address code);

// The running thread's call reads or writes this range, as it said before its first access (preload/bytes.h);
// empty if the access at `a` is not in it: functions that search do not know how far they will read.
struct CallRange {
    Address begin = 0;
    usize bytes = 0;
};
CallRange range_of_call(Address a, usize bytes, bool writes);

// The running thread's call said a length that no memory has, and faults for that.
bool is_call_of_absurd_length(usize* length);

}  // namespace memspy::defects
