// SPDX-License-Identifier: GPL-2.0-or-later
//
// What the tool changes in how VEX translates a superblock.
#pragma once

#include "rt/base.h"

namespace memspy::vg {

// From now on a superblock follows calls and jumps into other superblocks only if `may_chase` is true for its
// first instruction.
void chase_only_if(bool (*may_chase)(Address first));

// Superblocks that begin in [begin, begin + bytes) are decoded from `code` in place of what stands there, or, where
// `stands_for` knows another address, as those that begin there.
void decode_instead(Address begin, usize bytes, const u8* code, Address (*stands_for)(Address));

// Call when a superblock has been instrumented whose new code has next to nothing to fold, no copies and no dead
// statements.
void needs_no_cleanup();

}  // namespace memspy::vg
