// SPDX-License-Identifier: GPL-2.0-or-later
//
// Emits the counting of redundant zeros beside the client's own loads. instrument/zeros/zero_layout.h
// describes the places of counters and the batch.
#pragma once

#include "instrument/core/context_cells.h"
#include "instrument/zeros/load_types.h"
#include "instrument/zeros/zero_layout.h"

namespace memspy::instrument {

class ZeroCounts {
public:
    ZeroCounts(Emitter& emit, const IRSB* in, const LoadTypes& types) : emit_(emit), in_(in), types_(types) {}

    // Call before the first instruction, and behind each call inside the superblock. loaded() will be called
    // for the loads among the statements [from, end).
    void begin(int from, int end);
    // Call in the order of the emitted code, after the load of a statement and all checks before it have been
    // emitted.
    void loaded(int statement);
    void before_exit();  // call before a side exit of the client's code is emitted
    void instruction(const IRStmt* mark);
    void end_of_instruction();
    void end();  // call before each call inside the superblock, and at its end

private:
    struct Counters {  // of a site's counters
        ValueType type;
        IRExpr* base = nullptr;  // null: there is no space for them
        u64 offset = 0;
    };

    void flush();
    void count(int statement);
    Counters counters_at(const LoadUse& use);
    void count_integer(const Counters& place, IRExpr* value, IRExpr* guard);
    bool counts_by_helper(int statement) const;
    void count_by_helper(const LoadUse& use, IRExpr* value, IRExpr* guard);
    void write_to_batch(const Counters& place, IRExpr* value, IRExpr* guard);
    ValueType best_type(int statement, Address instruction) const;
    void check_batch();
    void enter_stretch(Address first);

    Emitter& emit_;
    const IRSB* in_;
    const LoadTypes& types_;
    Address instruction_ = 0;
    Scratch<int> waiting_;  // statements with loaded values not yet counted
    static constexpr u32 kPiecesKept = 4;
    IRExpr* pieces_[kPiecesKept] = {};  // addresses of pieces that are already in temporaries
    u32 kept_[kPiecesKept] = {};        // the numbers of these pieces
    ContextLookup stretch_;             // the loads between two changes of the call path, with contexts
    rt::Vector<SiteNumber> sites_;      // of the stretch
    bool checked_ = false;              // the batch has space for the superblock
    IRExpr* cursor_ = nullptr;          // the batch's cursor before the first write
    u32 batched_ = 0, flushed_ = 0;     // bytes written since; those already in batch.cursor
};

}  // namespace memspy::instrument
