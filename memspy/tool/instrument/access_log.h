// SPDX-License-Identifier: GPL-2.0-or-later
//
// Emits the records of the access log (log/records.h) beside the client's own code. A record begins with the
// first access. Instructions without accesses are only counted.
//
// The cursor, a thread's position in its chunk, is in the shadow of a word of the guest state that belongs to
// the core. So the core saves and restores it with the registers at each switch of threads. The top of the
// thread's shadow stack of calls is kept in the same way.
#pragma once

#include "instrument/access.h"
#include "instrument/quiet_checks.h"
#include "instrument/sample_checks.h"
#include "log/records.h"
#include "log/word_sample.h"

namespace memspy::instrument {

// Offsets from the guest state of the address of the next record and of the address of the top CallFrame.
Int cursor_offset();
Int call_top_offset();
// If accesses are passed, quiet or unsampled ones: of what was executed since the last record, instructions * kInstruction
// + accesses. If unsampled ones are passed: + accesses to words, in a counter that goes on from record to record; if the
// order is followed, instructions are counted likewise.
Int pause_offset();
inline constexpr u64 kInstruction = u64{1} << 24;
// What is wanted of the next accesses of the thread, which is about to run; `follow_until`: its word at
// follow_until_offset(). Returns the word for pause_offset().
u64 begin_sample(const log::WordSample& sample, u64 follow_until);
// There is no record at the cursor yet.
void clear_head(u64* cursor);
// The instruction is about to be executed again by another translation, and the record at the cursor is not complete.
void keep_tripped_record(u8* state, Address instruction);
// Called with the guest state when the running thread's chunk is full and it is at a superblock's start.
void set_full_handler(void (*handler)(u8* state));

class LogWriter {
public:
    // Emits nothing unless the policy asks for the access log.
    LogWriter(Emitter& emit, const IRSB* in);

    // Call before emitting any other code of the superblock, which begins at `first`.
    void begin(Address first);

    // Whether a call of a function that takes or releases a lock begins at `code`. `before` is the end of the
    // instruction executed before it; 0 at the beginning of the superblock.
    static bool is_lock_call(Address code, Address before);

    // Call in the order of the emitted code.
    void instruction(const IRStmt* mark);
    // Call after an access of the instruction and all checks before it have been emitted.
    void access(Int number, const Access& access, const Origin& origin);
    void before_exit(const IRStmt* exit);  // call before an Exit of the client's code is emitted
    void passed_exit(const IRStmt* exit);  // call after it has been emitted
    void end_of_instruction();
    // Call after a call inside the superblock: later accesses have another call path.
    void end_record();
    void end(bool yields);  // before the end of the superblock

private:
    struct Waiting {
        Access access;
        Origin origin;
        bool atomic, vector;
        log::SumKind sum;
        log::UpdateKind update;
    };
    struct Base {  // a word and the base whose address it is
        Origin origin;
        u8 word;
    };

    void full_check(Address first);
    void begin_pause();
    void begin_record();
    void finish_record();
    void close_record();
    void leave_record(u32 executed, IRExpr* leaves);
    IRExpr* pause_with(u32 executed, u32 accesses);
    void tell_executed(u32 executed, u32 accesses);
    IRExpr* is_kept(IRExpr* pause);
    void keep();
    u32 accesses_so_far() const;
    void lock_call(Address function);
    void tell_pause(u32 executed);
    // Instructions executed so far, in the record or the pause.
    u16 executed_so_far() const { return static_cast<u16>(ordinal_ + 1); }
    u16 executed_at(const IRStmt* exit) const;
    void flush();
    void write(const Waiting& waiting);
    u8 new_word(IRExpr* value);
    void add_use(const Waiting& waiting, u8 word, i64 offset, u8 proof);

    Emitter& emit_;
    const IRSB* in_;
    bool on_;
    const IRStmt* last_exit_ = nullptr;  // if accesses are passed: the first exit behind the last access
    bool yielding_ = false;
    bool open_ = false;
    IRExpr* cursor_ = nullptr;
    IRConst* record_bytes_ = nullptr;  // filled in when the record is complete
    IRConst* shape_number_ = nullptr;
    log::Shape shape_;
    u32 words_in_superblock_ = 0;
    // Position of the present instruction: counted within the record or, while no record is open, since the
    // last record or the last exit with a pause. kBefore: the instruction has already been counted.
    static constexpr int kBefore = -1;
    int ordinal_ = kBefore;
    Address instruction_ = 0;
    Address instruction_end_ = 0;
    u8 marker_ = log::kNoWord;  // of the running segment
    bool samples_;              // unsampled accesses are not logged
    bool passes_;               // neither are quiet ones
    QuietChecks quiet_;
    SampleChecks sample_;
    IRExpr* pause_ = nullptr;  // instructions since the last record, at begin_pause()
    u32 told_ = 0;             // instructions since then, those of the record excluded
    u32 told_accesses_ = 0;    // likewise
    Scratch<Waiting> waiting_;
    Scratch<Base> bases_;
};

}  // namespace memspy::instrument
