// SPDX-License-Identifier: GPL-2.0-or-later
#include "sync/posts.h"

namespace memspy::sync {

void PostTimes::post(u64 time, u64 tokens) {
    for (; tokens != 0 && times_.size() < kKept; --tokens) {
        times_.push_back(time);
        for (usize i = times_.size() - 1; i != 0 && times_[i - 1] < time; --i) {
            times_[i] = times_[i - 1];
            times_[i - 1] = time;
        }
    }
    unknown_ += tokens;
}

void PostTimes::take(u64 left) {
    if (unknown_ == 0 && !times_.empty()) times_.pop_back();
    while (times_.size() > left) times_.pop_back();
    unknown_ = left - times_.size();
}

}  // namespace memspy::sync
