// SPDX-License-Identifier: GPL-2.0-or-later
//
// Accesses that the policy says need no check, and the superblocks that have such. When the policy changes,
// these are translated again and no others.
#pragma once

#include "instrument/core/access.h"

namespace memspy::instrument {

// No client has memory below this address: a null pointer and an offset. Constant addresses there are
// checked.
inline constexpr Address kNullBytes = Address{1} << 16;

// True if the access cannot touch anything but fine memory under the present policy. Call it between the two
// functions behind it, which enclose the translation of the superblock at `first`.
bool needs_no_check(const Origin& origin);
void begin_unchecked();
void note_unchecked(Address first);

void initialise_unchecked();  // call once, before any code runs
// Has these translations made again when the running thread next enters a fast one.
void request_flush();
// Has them discarded as soon as the running thread has left generated code.
void discard_unchecked();

}  // namespace memspy::instrument
