// SPDX-License-Identifier: GPL-2.0-or-later
//
// Generated code that reads and writes shadow memory inline.
#pragma once

#include "instrument/core/access.h"

namespace memspy::instrument {

struct ShadowTest {
    IRExpr* bad = nullptr;  // Ity_I1: the access needs an exact check
    // For a store of defined data that goes on if `bad` is false: the new states, which make its bytes fine.
    IRExpr* state_address = nullptr;
    IRExpr* new_states = nullptr;  // Ity_I64, null when there is nothing to write
    u32 state_bytes = 0;
};

// Cheap test for aligned accesses. A misaligned access is `bad`; so is an access of one or two bytes if
// another byte of the same group of four is not fine. `aligned`: the address is known to be a multiple of
// four.
ShadowTest test_cheap(Emitter& emit, const Access& access, bool aligned = false);
// Test for any alignment, except that misaligned accesses of 32 bytes are `bad`.
ShadowTest test_exact(Emitter& emit, const Access& access);
// Emit it after the exit on `bad`.
void make_fine(Emitter& emit, const ShadowTest& test);

// Test of a window of `bytes` <= 32 from `address`: `bad` if the states have a bit of `mask` (two bits per
// byte) or, unless `aligned`, if the address is not a multiple of four.
ShadowTest test_window(Emitter& emit, IRExpr* address, u32 bytes, u64 mask, bool aligned);
// Makes `bytes` fine from offset `at` of a window with that state address: whole groups of four, or a part of
// one group.
void make_window_fine(Emitter& emit, IRExpr* state_address, u32 at, u32 bytes);

}  // namespace memspy::instrument
