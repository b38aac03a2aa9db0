// SPDX-License-Identifier: GPL-2.0-or-later
//
// What generated code calls when it has written a record of which accesses may be passed: whether the record
// is kept, and the words of a thread on which that depends.
//
// The cursor, a thread's position in its chunk, is in the shadow of a word of the guest state that belongs to
// the core. So the core saves and restores it with the registers at each switch of threads. The top of the
// thread's shadow stack of calls is kept in the same way.
#pragma once

#include "instrument/core/emitter.h"
#include "log/word_sample.h"

namespace memspy::instrument {

// Offset from the guest state of the address of the next record.
Int cursor_offset();
// If accesses are passed, quiet or unsampled ones: of what was executed since the last record, instructions *
// kInstruction
// + accesses. If unsampled ones are passed: + accesses to words, in a counter that goes on from record to
// record; if the order is followed, instructions are counted likewise.
Int pause_offset();
inline constexpr u64 kInstruction = u64{1} << 24;
// What is wanted of the next accesses of the thread, which is about to run; `follow_until`: its word at
// follow_until_offset(). Returns the word for pause_offset().
u64 begin_sample(const log::WordSample& sample, u64 follow_until);
// The thread's bit in quiet lines from now on, and its word at quiet_bit_offset().
void set_own_bit(u32 guest_id, u64 bit);
u64 bit_now(u32 guest_id, bool follows);
// There is no record at the cursor yet.
void clear_head(u64* cursor);
// Emits  if (guard) keep the record at the cursor as one of this shape
void emit_keep_record(Emitter& emit, u32 shape, IRExpr* guard);
// The instruction is about to be executed again by another translation, and the record at the cursor is not
// complete.
void keep_tripped_record(u8* state, Address instruction);
// Called with the guest state when the running thread's chunk is full and it is at a superblock's start.
void set_full_handler(void (*handler)(u8* state));
void read_log_now(u8* state);  // as if it were

}  // namespace memspy::instrument
