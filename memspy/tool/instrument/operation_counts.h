// SPDX-License-Identifier: GPL-2.0-or-later
//
// Emits the counting of instructions and branches (segments.h, predictor.h) beside the client's own code: one
// addition for each segment, some twenty operations for each conditional branch.
//
// A segment is counted where it begins. If a check inside it trips, its rest has not run: the handler of the
// trip takes the count back and counts the part before the instruction instead, which is a segment of its own.
// So counts are exact. For this the guest state has the counter of the running segment.
#pragma once

#include "instrument/emitter.h"
#include "instrument/predictor.h"
#include "instrument/segments.h"

namespace memspy::instrument {

// The running thread's; set by the analysis whenever another thread runs, and when a piece is new.
extern u64* running_counters[kMostCounterPieces];
extern Predictor* running_predictor;
// Has `made` called when counters stand in one more piece.
void set_new_piece_handler(void (*made)());

// A check of `instruction` tripped. `state`: the guest state of the thread.
void trip_in_segment(u8* state, Address instruction);

class OperationCounts {
public:
    // Emits nothing unless the policy asks for counts.
    OperationCounts(Emitter& emit, const IRSB* in) : emit_(emit), in_(in) {}

    // Call before the first instruction: the statements [begin, end) are translated.
    void begin(int begin, int end);
    void before_exit(const IRStmt* exit);  // call before an exit of the client's code is emitted
    void passed_exit();                    // call after it
    void access(const Access& access,
                Address instruction);  // an access of the client: counted here if it has a guard

private:
    struct ExitBranch {  // a side exit that is a conditional branch
        const IRStmt* exit;
        Address address;
        bool exit_is_taken;  // false: the exit goes to the next instruction
    };

    void plan_instruction(int mark, int end, rt::Vector<SegmentStep>& steps);
    void close_segment(rt::Vector<SegmentStep>& steps);
    void count_next();
    IRExpr* base_of(u32 counter);
    void add_to(IRExpr* base, u64 offset, IRExpr* amount);
    void predict(const ExitBranch& branch);

    Emitter& emit_;
    const IRSB* in_;
    rt::Vector<u32> segments_;  // their counters, in order
    usize next_ = 0;
    rt::Vector<ExitBranch> branches_;
    static constexpr u32 kPiecesKept = 4;
    IRExpr* pieces_[kPiecesKept] = {};  // addresses of pieces that are already in temporaries
    u32 kept_[kPiecesKept] = {};
};

}  // namespace memspy::instrument
