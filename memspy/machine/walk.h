// SPDX-License-Identifier: GPL-2.0-or-later
//
// What is measured, apart from how: the time of a load when a program goes round a list of addresses again and again,
// each load's address being the value of the one before. The search for caches (search.h) knows a machine only so, and
// is tested on machines that do not exist.
#pragma once

#include <optional>
#include <span>

#include "machine/figure.h"

namespace memspy::machine {

// Where the addresses lie: in memory that the system maps with large pages where it can, so that neighbouring pages are
// neighbours in the machine too, or in memory of its ordinary pages.
enum class PageKind { Large, Ordinary };

class Walker {
public:
    virtual ~Walker() = default;
    // Nanoseconds for one load in the steady state, visiting `offsets` (bytes, each at most once, multiples of 8, below
    // `size()`) in that order, round and round. Nothing where repetitions differ by more than the share `agree`, or no
    // time is left. A walk that misses only now and then has no one time: who asks only whether it misses takes a
    // large share.
    virtual std::optional<double> ns(std::span<const u64> offsets, PageKind memory, double agree = 0.02) = 0;
    // Bytes of memory of either kind.
    virtual u64 size() const = 0;
    // The system's page: addresses within one lie in the machine's memory as they do in the program's.
    virtual u64 page() const = 0;
};

}  // namespace memspy::machine
