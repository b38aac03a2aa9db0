// SPDX-License-Identifier: GPL-2.0-or-later
//
// Memory without a mapping: what the program unmapped, the lowest addresses (null pointers), and what lies
// between the program's break and the end of its page. Addresses that never had a mapping are not known: an
// access there ends in a signal, and the core reports that.
#pragma once

#include "vg/vg.h"

namespace memspy::defects {

void follow_mappings();  // call once, before the program's memory is announced
// For a byte in state Unaddressable.
bool is_unmapped(Address a);

}  // namespace memspy::defects
