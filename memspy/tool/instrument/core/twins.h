// SPDX-License-Identifier: GPL-2.0-or-later
//
// Twins: an observer that looks at the program for a while now and then costs next to nothing in between. While it
// looks, a superblock runs as its *twin*, a second translation of the same code, which is made when that is first
// reached. A plain translation has no code of such an observer; it tests one word at its entry, and leaves for the twin
// if that is set. Twins are code at sites (sites.h), and leave for plain translations, so each block that runs as
// a twin has run the test before.
//
// Not tried: guards of the calls in one translation. A call that is not made may have its registers spilled all
// the same.
#pragma once

#include "instrument/core/emitter.h"

namespace memspy::instrument {

// From now on superblocks have twins.
void want_twins();
bool have_twins();
// Whether blocks that are entered from now on run as twins.
void run_twins(bool on);

// Of the translation that is being made.
void translates_twin(bool twin);
bool is_twin();
// The block begins at the instruction `first`, and has its code.
void finish_twins(IRSB* block, Address first);

}  // namespace memspy::instrument
