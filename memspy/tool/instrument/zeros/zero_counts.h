// SPDX-License-Identifier: GPL-2.0-or-later
//
// Emits the counting of redundant zeros beside the client's own loads. instrument/zeros/zero_layout.h
// describes the places of counters.
#pragma once

#include "instrument/core/context_cells.h"
#include "instrument/zeros/load_types.h"
#include "instrument/zeros/value_counts.h"
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
    static constexpr u32 kMostWords = 4;
    struct LoadedValue {
        int statement;
        IRExpr* words[kMostWords];
    };

    void flush();
    void find_words(LoadedValue& value);
    void count(LoadedValue& value);
    SiteCounters counters_at(const LoadUse& use);
    void count_by_helper(const LoadUse& use, IRExpr* value, IRExpr* guard);
    void enter_stretch(Address first);

    Emitter& emit_;
    const IRSB* in_;
    const LoadTypes& types_;
    Address instruction_ = 0;
    Scratch<LoadedValue> waiting_;  // loads not yet counted
    static constexpr u32 kPiecesKept = 4;
    IRExpr* pieces_[kPiecesKept] = {};  // addresses of pieces that are already in temporaries
    u32 kept_[kPiecesKept] = {};        // the numbers of these pieces
    ContextLookup stretch_;             // the loads between two changes of the call path, with contexts
    rt::Vector<SiteNumber> sites_;      // of the stretch
};

}  // namespace memspy::instrument
