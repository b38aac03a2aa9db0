// SPDX-License-Identifier: GPL-2.0-or-later
//
// The place of an access in the code, and the number of its object.
#pragma once

#include "threads/thread.h"

namespace memspy::places {

// Number of an object, see objects.h.
enum class ObjectId : u32 { None = 0 };

// The place of an access: an instruction, and the chain of calls that led to it.
struct Place {
    Address instruction = 0;  // 0: not known
    threads::CallPath path{};
    bool operator==(const Place&) const = default;
};

// The stack of an access: the instruction and its calls, as a context of the core.
ContextId stack_of(const Place& place);

}  // namespace memspy::places
