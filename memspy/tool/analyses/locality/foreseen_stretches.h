// SPDX-License-Identifier: GPL-2.0-or-later
//
// Of one thread: which records have been foreseen (log/consumer.h) and are not read yet.
#pragma once

#include "analyses/locality/places.h"
#include "rt/vector.h"

namespace memspy::locality {

// The epoch of a stretch of records, and whether all accesses there were logged.
struct ForeseenStretch {
    const u64 *first, *end;
    u64 epoch;
    bool has_all;
};
class ForeseenStretches {
public:
    void put(const u64* first, const u64* end, bool has_all) {
        const u64 epoch = present_epoch();
        if (taken_ == stretches_.size()) {
            stretches_.resize(0);
            taken_ = 0;
        } else if (ForeseenStretch& last = stretches_.back();
                   last.end == first && last.epoch == epoch && last.has_all == has_all) {
            last.end = end;
            return;
        }
        stretches_.push_back(ForeseenStretch{first, end, epoch, has_all});
    }
    // That of the record at `at`. Those before it are done.
    const ForeseenStretch& around(const u64* at) {
        while (at < stretches_[taken_].first || at >= stretches_[taken_].end) ++taken_;
        return stretches_[taken_];
    }
    // Records before `at` are done.
    void done(const u64* at) {
        if (taken_ < stretches_.size() && stretches_[taken_].end == at) ++taken_;
    }
    u64 oldest() const { return taken_ == stretches_.size() ? ~u64{0} : stretches_[taken_].epoch; }
    void clear() {
        stretches_.resize(0);
        taken_ = 0;
    }

private:
    rt::Vector<ForeseenStretch> stretches_;
    usize taken_ = 0;
};

}  // namespace memspy::locality
