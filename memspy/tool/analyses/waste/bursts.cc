// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyses/waste/bursts.h"

#include "rt/square_root.h"

namespace memspy::waste {

void ShareOfBursts::add(u64 part, u64 whole) {
    const auto p = static_cast<double>(part), w = static_cast<double>(whole);
    bursts_ += 1;
    part_ += p;
    whole_ += w;
    part_part_ += p * p;
    part_whole_ += p * w;
    whole_whole_ += w * w;
}

// With r = sum(part) / sum(whole), the variance of r is about n / (n - 1) * sum((part - r * whole)^2) / sum(whole)^2.
double ShareOfBursts::error() const {
    if (bursts_ < 2 || whole_ == 0) return 1;
    const double share = part_ / whole_;
    const double spread = part_part_ - 2 * share * part_whole_ + share * share * whole_whole_;
    return rt::square_root(bursts_ / (bursts_ - 1) * spread) / whole_;
}

void Bursts::start(u64 length, u64 period) {
    length_ = length;
    period_ = period;
}

void Bursts::plan() {
    random_ = random_ * 6364136223846793005u + 1442695040888963407u;
    constexpr u32 kUseless = 33;  // low bits
    next_ = periods_++ * period_ + (random_ >> kUseless) % (period_ - length_ + 1);
}

bool Bursts::turns(u64 blocks) {
    now_ = blocks;
    if (periods_ == 0) plan();
    if (blocks < next_) return false;
    on_ = !on_;
    if (on_) {
        began_ = blocks;
        next_ = blocks + length_;
    } else {
        run_ += blocks - began_;
        plan();
    }
    return true;
}

double Bursts::rate() const {
    if (now_ == 0) return 0;
    // A superblock and its twin are two.
    const u64 twins = (run_ + (on_ ? now_ - began_ : 0)) / 2;
    return static_cast<double>(twins) / static_cast<double>(now_ - twins);
}

void Bursts::add(const WasteTotals& counted) {
    if (counted.stored + counted.loaded == 0) return;
    ++bursts_;
    for (u32 i = 0; i < kWasteRowKinds; ++i)
        shares_[i].add(counted.wasted[i],
                       i == static_cast<u32>(WasteRowKind::Load) ? counted.loaded : counted.stored);
}

}  // namespace memspy::waste
