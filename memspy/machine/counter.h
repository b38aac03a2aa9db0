// SPDX-License-Identifier: GPL-2.0-or-later
//
// The processor's own counter of loads that miss the first data cache, where the system lets an ordinary user
// have it.
#pragma once

#include "machine/figure.h"

namespace memspy::machine {

class MissCounter {
public:
    MissCounter();
    ~MissCounter();
    MissCounter(const MissCounter&) = delete;
    MissCounter& operator=(const MissCounter&) = delete;

    bool works() const { return file_ >= 0; }
    const std::string& why_not() const { return why_not_; }
    // Misses of this thread so far. Only differences mean anything.
    u64 misses() const;

private:
    int file_ = -1;
    std::string why_not_;
};

}  // namespace memspy::machine
