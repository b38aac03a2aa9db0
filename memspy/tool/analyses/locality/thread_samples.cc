// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyses/locality/thread_samples.h"

namespace memspy::locality {

using log::WordSample;

// Accesses that are not logged.
void ThreadSample::advance(u64 accesses) {
    accesses_ += accesses;
    while (accesses > to_count_) {
        accesses -= to_count_ + 1;
        missed_ += gaps_.gap();
        to_count_ = gaps_.choose(accesses_ / kGapPart, random_.next()) - 1;
    }
    to_count_ -= accesses;
}

u64 ThreadSample::pass(u64 time) {
    if (time == 0) return 0;
    const u64 now = WordSample::accesses_of(time), passed = now - counter_;
    counter_ = now;
    advance(passed);
    return passed;
}

void ThreadSample::note(const u64* record, u32 access) {
    if (taken_ == counted_.size()) {
        counted_.resize(0);
        taken_ = 0;
    }
    counted_.push_back({record, access, missed_});
    missed_ = 0;
}

u64 ThreadSample::read(const u64* first, const u64* end) {
    u64 passed = 0;
    for (const u64* at = first; at != end;) {
        const auto& record = *reinterpret_cast<const log::Record*>(at);
        const log::QuickExit& own = log::quick_shape(record.shape).whole;
        // A record without a time is of a system call, and its accesses are not counted.
        if (own.instructions != 0) {
            passed += pass(record.time);
            const u32 words = own.word_accesses;
            counter_ += words;
            accesses_ += words;
            if (to_count_ < words || (missed_ != 0 && words != 0)) {
                u64 at_access = missed_ != 0 ? 0 : to_count_, left = words;
                while (to_count_ < left) {
                    left -= to_count_ + 1;
                    missed_ += gaps_.gap();
                    to_count_ = gaps_.choose(accesses_ / kGapPart, random_.next()) - 1;
                }
                to_count_ -= left;
                note(at, static_cast<u32>(at_access));
            } else {
                to_count_ -= words;
            }
        }
        at += log::record_words(record.shape);
    }
    return passed + pass(end[1]);
}

}  // namespace memspy::locality
