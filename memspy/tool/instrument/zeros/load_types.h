// SPDX-License-Identifier: GPL-2.0-or-later
//
// The types of the values that a superblock loads: integers, floats, or vectors of them.
//
// VEX's types F32 and F64 are known floats. For the other types the uses of the loaded value decide. They are
// followed through temporaries, registers and all operations that only move bits. An operation on floats
// makes the value a float, or a vector of floats, of the operation's width; any other operation makes it an
// integer. If both happen, the float counts. A value that is only copied is unknown.
//
// On amd64, if the superblock has no use of the value, an instruction that moves floats by its name (movss,
// movsd, movupd, movapd) makes it a float.
#pragma once

#include "instrument/core/access.h"
#include "instrument/zeros/element.h"

namespace memspy::instrument {

struct LoadUse {
    ValueType type;
    Uses uses;
    // The swap at the end of an atomic operation whose load is in the same instruction: the two count as one
    // load.
    bool repeats = false;
};

class LoadTypes {
public:
    // `frames`: the frame pointer is known to point into the stack, so a load at a constant distance from it
    // reads a variable.
    void find(const IRSB* block, bool frames);
    // What is loaded from such a place is a constant of the code's. Call after find().
    void note_constants(const IRSB* block, bool (*is_constant)(Address a, usize bytes));
    // Call after find(), for a statement that loads values (is_value_load).
    const LoadUse& of(int statement) const { return loads_[static_cast<usize>(statement)]; }

private:
    Scratch<LoadUse> loads_;  // by statement
};

// The type of the value that such a statement loads; for a swap of two elements, the type of each.
IRType loaded_type(const IRSB* block, const IRStmt* statement);

}  // namespace memspy::instrument
