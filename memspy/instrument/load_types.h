// SPDX-License-Identifier: GPL-2.0-or-later
//
// What the loads of a superblock fetch: integers, floats, or vectors of them.
//
// VEX's types F32 and F64 say it. For the others the uses of the loaded value do, followed through
// temporaries, registers and whatever only moves bits: an operation on floats makes it a float, or a vector
// of floats, of that width; any other operation an integer. Where both happen the float counts. What is only
// copied is unknown.
//
// On amd64 an instruction that moves floats by its name (movss, movsd, movupd, movapd) says it too, when the
// superblock holds no use.
#pragma once

#include "instrument/access.h"
#include "instrument/element.h"

namespace memspy::instrument {

struct LoadUse {
    ValueType type;
    Uses uses;
    // The swap at the end of an atomic operation, which the value was loaded for in the same instruction: one
    // load.
    bool repeats = false;
};

class LoadTypes {
public:
    // `frames`: the frame pointer is known to point into the stack, so that what stands beside it is a
    // variable.
    void find(const IRSB* block, bool frames);
    // After that: of a statement that loads values (is_value_load).
    const LoadUse& of(int statement) const { return loads_[static_cast<usize>(statement)]; }

private:
    rt::Vector<LoadUse> loads_;  // by statement
};

// Whether the statement loads values: all that load but helpers of the core, which load data in forms of
// their own.
bool is_value_load(const IRStmt* statement);
// The type of the value that such a statement loads; of each element of a swap.
IRType loaded_type(const IRSB* block, const IRStmt* statement);

}  // namespace memspy::instrument
