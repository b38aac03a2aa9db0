// SPDX-License-Identifier: GPL-2.0-or-later
//
// Emits the records of the access log (log/records.h) beside the client's own code. A record begins with the
// first access. Instructions without accesses are only counted.
#pragma once

#include "instrument/core/observer.h"
#include "instrument/log/quiet_checks.h"
#include "instrument/log/sample_checks.h"
#include "log/records.h"

namespace memspy::instrument {

class LogWriter final : public Observer {
public:
    LogWriter(Emitter& emit, const IRSB* in);

    // Whether a call of a function that takes or releases a lock begins at `code`. It begins a translation,
    // because its arguments are in registers then. `before` is the end of the instruction executed before it;
    // 0 at the beginning of the superblock.
    static bool is_lock_call(Address code, Address before);

    void begin(int begin, int end) override;
    void instruction(const IRStmt* mark) override;
    void access(int number, const Access& access, const Origin& origin) override;
    void before_exit(const IRStmt* exit) override;
    void passed_exit(const IRStmt* exit) override;
    void end_of_instruction() override { flush(); }
    void before_call() override { end_record(); }
    void end(IRJumpKind jump) override;

private:
    struct Waiting {
        Access access;
        Origin origin;
        bool atomic, vector;
        log::SumKind sum;
        log::UpdateKind update;
        const IRStmt* updates;  // the statement of an atomic read-modify-write, or null
        bool compares;
        u8 values = log::kNoWord;
    };
    struct Base {  // a word and the base whose address it is
        Origin origin;
        u8 word;
    };

    void full_check(Address first);
    void end_record();
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
    void yield_at(const IRStmt* exit);
    void perhaps_wait_before(Address function);
    void tell_pause(u32 executed);
    // Instructions executed so far, in the record or the pause.
    u16 executed_so_far() const { return static_cast<u16>(ordinal_ + 1); }
    u16 executed_at(const IRStmt* exit) const;
    void flush();
    void write(Waiting& waiting);
    void write_values(Waiting& update);
    u8 new_word(IRExpr* value);
    void add_use(const Waiting& waiting, u8 word, i64 offset, u8 proof);

    Emitter& emit_;
    const IRSB* in_;
    const IRStmt* last_exit_ = nullptr;  // if accesses are passed: the first exit behind the last access
    bool yielding_ = false;
    u8 yields_if_ = log::kNoWord;
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
