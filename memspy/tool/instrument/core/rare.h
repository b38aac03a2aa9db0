// SPDX-License-Identifier: GPL-2.0-or-later
//
// Rare superblocks: most of the code that initialises a large library runs a few times only, and then
// translating it costs more than running it. So while a library starts, fast translations are rare ones:
// helpers do what would otherwise be done inline, if that takes much code (zero_counts.h, touch.h). Such a
// translation counts its runs; a superblock that runs often is translated anew, with everything inline. What
// is counted is the same in both.
//
// Rejected: all code as rare at first. Programs that run for a second or more took 5 to 16 % longer, because
// of the helpers until a superblock is known to run often, and of the second translation of a quarter of
// them. With one helper for each superblock, which works on values that the one before left behind, python3 -c pass
// took 4 % less and cc1 -O2 15 % more.
#pragma once

#include "instrument/core/access.h"

namespace memspy::instrument {

void register_rare_blocks();
void expect_rare_code(bool on);  // code that is translated from now on

// The superblock that begins at `first` is about to be translated; false: it runs often.
void begin_translation(Address first, bool may_be_rare);
// Of the present translation.
bool is_rare();
void emit_run_count(Emitter& emit);  // emits nothing unless is_rare()

}  // namespace memspy::instrument
