// SPDX-License-Identifier: GPL-2.0-or-later
//
// Emits the counting of instructions and branches (segments.h, predictor.h) beside the client's own code: one
// addition for each segment, some twenty operations for each conditional branch.
//
// A segment is counted where it begins. If a check inside it trips, its rest has not run: the handler of the
// trip takes the count back and counts the part before the instruction instead, which is a segment of its
// own. So counts are exact. For this the guest state has the counter of the running segment.
#pragma once

#include "instrument/core/observer.h"
#include "instrument/mix/loaded_addresses.h"
#include "instrument/mix/predictor.h"
#include "instrument/mix/segments.h"

namespace memspy::instrument {

// The running thread's; set by the analysis whenever another thread runs, and when a piece is new.
extern u64* running_counters[kMostCounterPieces];
extern Predictor* running_predictor;
// Has `made` called when counters stand in one more piece.
void set_new_piece_handler(void (*made)());

// From now on translations count.
void count_operations();

class OperationCounts final : public Observer {
public:
    OperationCounts(Emitter& emit, const IRSB* in) : emit_(emit), in_(in) {}

    void begin(int begin, int end) override;
    void instruction(const IRStmt* mark) override { instruction_ = instruction_address(mark); }
    void before_exit(const IRStmt* exit) override;
    void passed_exit(const IRStmt*) override { count_next(); }
    // Counted here if it has a guard.
    void access(int statement, const Access& access, const Origin& origin) override;

private:
    struct ExitBranch {  // a side exit that is a conditional branch
        const IRStmt* exit;
        Address address;
        bool exit_is_taken;  // false: the exit goes to the next instruction
    };

    void plan_instruction(int mark, int end, const LoadedAddresses& loaded, rt::Vector<SegmentStep>& steps);
    void close_segment(rt::Vector<SegmentStep>& steps);
    void count_next();
    IRExpr* base_of(u32 counter);
    void add_to(IRExpr* base, u64 offset, IRExpr* amount);
    void predict(const ExitBranch& branch);

    Emitter& emit_;
    const IRSB* in_;
    Address instruction_ = 0;
    rt::Vector<u32> segments_;  // their counters, in order
    usize next_ = 0;
    rt::Vector<ExitBranch> branches_;
    static constexpr u32 kPiecesKept = 4;
    IRExpr* pieces_[kPiecesKept] = {};  // addresses of pieces that are already in temporaries
    u32 kept_[kPiecesKept] = {};
};

}  // namespace memspy::instrument
