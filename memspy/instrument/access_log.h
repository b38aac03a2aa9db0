// SPDX-License-Identifier: GPL-2.0-or-later
//
// Emits the records of the access log (log/records.h) beside the client's own code. A record begins with the
// first access; instructions without any are only counted.
//
// The cursor, a thread's place in its chunk, stands in the shadow of a word of the guest state that is the
// core's own, so the core hands it from thread to thread with the registers; so does the top of the thread's
// shadow stack of calls.
#pragma once

#include "instrument/access.h"
#include "log/records.h"

namespace memspy::instrument {

// Offsets from the guest state: address of the next record; address of the top CallFrame.
Int cursor_offset();
Int call_top_offset();

class LogWriter {
public:
    // Does nothing at all unless the policy says that accesses are logged.
    LogWriter(Emitter& emit, const IRSB* in);

    // if (cursor & kFullBit) goto the log site of `first`. Before anything else of the superblock.
    void full_check(Address first);

    // Whether a call of a function that takes or gives back a lock begins at `code`, where the code goes on
    // after an instruction that ended at `before`; 0: at the beginning of the superblock.
    static bool is_lock_call(Address code, Address before);

    // Call in the order of the emitted code.
    void instruction(const IRStmt* mark);
    // An access of the instruction has been emitted, with all checks before it.
    void access(const IRStmt* statement, const Access& access, const Origin& origin);
    void before_exit(const IRStmt* exit);  // an Exit of the client's is about to be emitted
    void passed_exit(const IRStmt* exit);  // and has been
    void end_of_instruction();
    // Behind a call inside the superblock: accesses from here on have another call path.
    void end_record();
    void end(bool yields);  // before the end of the superblock

private:
    struct Waiting {
        Access access;
        Origin origin;
        bool atomic;
    };
    struct Base {  // a word and the base whose address it is
        Origin origin;
        u8 word;
    };

    void begin_record();
    void close_record();
    void lock_call(Address function);
    void tell_pause(u32 executed);
    // Of the record or pause.
    u16 executed_so_far() const { return static_cast<u16>(ordinal_ + 1); }
    u16 executed_at(const IRStmt* exit) const;
    void flush();
    void write(const Waiting& waiting);
    u8 new_word(IRExpr* value);
    void add_use(const Waiting& waiting, u8 word, i64 offset, u8 proof);

    Emitter& emit_;
    bool on_;
    bool yielding_ = false;
    bool open_ = false;
    IRExpr* cursor_ = nullptr;
    IRConst* record_bytes_ = nullptr;  // filled in when the record is complete
    IRConst* shape_number_ = nullptr;
    log::Shape shape_;
    u32 words_in_superblock_ = 0;
    // Of the instruction that is being emitted, in the record or, while none is open, since the last one or
    // the last exit with a pause; kBefore: it was counted before that.
    static constexpr int kBefore = -1;
    int ordinal_ = kBefore;
    Address instruction_ = 0;
    Address instruction_end_ = 0;
    u8 marker_ = log::kNoWord;  // of the running segment
    rt::Vector<Waiting> waiting_;
    rt::Vector<Base> bases_;
};

}  // namespace memspy::instrument
