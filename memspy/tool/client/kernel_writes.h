// SPDX-License-Identifier: GPL-2.0-or-later
//
// Where the core's idea of what a system call reads and writes is not what the kernel does: addresses of sockets
// that have less room than they need, answers that the core does not know or takes for questions.
// tests/run/syscall/written_bytes.c compares the two.
#pragma once

#include "vg/vg.h"

namespace memspy::client {

// Call before the thread makes a call.
void note_call(u32 thread, u32 number, const u64* arguments);

// How much of such a range the kernel reads.
usize bytes_read(u32 thread, const HChar* parameter, usize bytes);
// How much room the kernel may fill, for which the core says so.
usize room_for(u32 thread, usize bytes);
// How much of the range the kernel wrote, of which the core says that the call wrote it.
usize bytes_written(u32 thread, Address begin, usize bytes);

// What a call that succeeded wrote besides. `define` is called with each range.
void tell_further_writes(u32 thread, i64 result, void (*define)(Address begin, usize bytes));

}  // namespace memspy::client
