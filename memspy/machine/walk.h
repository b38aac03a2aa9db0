// SPDX-License-Identifier: GPL-2.0-or-later
//
// The interface of measurements: the time of a load when a program walks a list of addresses again and again,
// each load's address being the value of the one before. The search for caches (search.h) uses only this
// interface, and is tested on simulated machines.
#pragma once

#include <optional>
#include <span>

#include "machine/figure.h"

namespace memspy::machine {

// The memory of the addresses: mapped with large pages if possible, so that neighbouring pages are neighbours
// in physical memory, too; or with ordinary pages.
enum class PageKind { Large, Ordinary };

class Walker {
public:
    virtual ~Walker() = default;
    // Nanoseconds for one load in the steady state of a cyclic walk over `offsets` (bytes, each at most once,
    // multiples of 8, below `size()`) in that order. Nothing if repetitions differ by more than the share
    // `agree`, or if no time is left. A walk that only misses now and then has no constant time: a caller
    // that only wants to know whether it misses passes a large share.
    //
    // `beside`: the number of a page of which no word is in `offsets`. Before each load, its place in that
    // page is loaded; the time is that of both. So that page's lines are used more often than any walk alone
    // could use them, whose line has no more words than it has.
    virtual std::optional<double> ns(std::span<const u64> offsets, PageKind memory, double agree = 0.02,
                                     std::optional<u64> beside = std::nullopt) = 0;
    // Bytes of memory of either kind.
    virtual u64 size() const = 0;
    // The system's page size: addresses in one page are contiguous in physical memory.
    virtual u64 page() const = 0;
};

}  // namespace memspy::machine
