// SPDX-License-Identifier: GPL-2.0-or-later
//
// The stacks of errors that are about a call of a function as a whole.
#pragma once

#include "vg/vg.h"

namespace memspy::vg {

// While one lives, stacks that the core records begin at the first instruction of the running function,
// wherever in it the thread is. So errors of one call have one stack.
class StackFromEntry {
public:
    explicit StackFromEntry(bool wanted);
    ~StackFromEntry();
    StackFromEntry(const StackFromEntry&) = delete;
    StackFromEntry& operator=(const StackFromEntry&) = delete;
};

}  // namespace memspy::vg
