// SPDX-License-Identifier: GPL-2.0-or-later
//
// Bursts: the parts of a run in which a sampled analysis counts, and what they say of the error. One begins somewhere
// in each *period*, where a thread starts to run. Time is in superblocks run. It depends on neither the core nor the
// analysis.
#pragma once

#include "analyses/waste/totals.h"

namespace memspy::waste {

// A share of two sums over bursts, and its standard error, by the ratios' spread from burst to burst.
class ShareOfBursts {
public:
    void add(u64 part, u64 whole);
    double error() const;  // 1: nothing is known

private:
    double bursts_ = 0, part_ = 0, whole_ = 0, part_part_ = 0, part_whole_ = 0, whole_whole_ = 0;
};

class Bursts {
public:
    // Superblocks of a burst, and of a period, which is as long at least. Call before any other.
    void start(u64 length, u64 period);
    bool is_on() const { return on_; }
    // A thread starts to run, when all have run so many superblocks. Returns whether a burst begins or ends.
    bool turns(u64 blocks);
    // What a burst counted; at the end of the run too.
    void add(const WasteTotals& counted);
    u64 count() const { return bursts_; }
    double rate() const;  // the part of the superblocks that ran in bursts
    double error(WasteRowKind kind) const { return shares_[static_cast<u32>(kind)].error(); }

private:
    void plan();  // when the next period's begins

    bool on_ = false;
    u64 length_ = 0, period_ = 0;
    u64 now_ = 0, next_ = 0, began_ = 0, run_ = 0, bursts_ = 0;
    u64 periods_ = 0;  // planned
    u64 random_ = 0;
    ShareOfBursts shares_[kWasteRowKinds];
};

}  // namespace memspy::waste
