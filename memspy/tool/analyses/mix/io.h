// SPDX-License-Identifier: GPL-2.0-or-later
//
// System calls that read and write files and sockets: bytes and time, by stack and thread.
#pragma once

#include "analyses/mix/figures.h"
#include "threads/thread.h"

namespace memspy::mix {

void io_begins(threads::Thread t, u32 number);
void io_ends(threads::Thread t, u32 guest_id, u32 number, i64 result);
void forget_io();
const rt::Vector<IoRow>& io_rows();

}  // namespace memspy::mix
