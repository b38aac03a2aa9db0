// SPDX-License-Identifier: GPL-2.0-or-later
//
// What threads did with lines in turn, in the modelled order, so that another layout of their bytes can be
// replayed (changed_layout.h). A *stay* lasts from a store that takes a line from others to the next one:
// only the thread that took it can store, and all loads commute. So the bytes that each thread used in a
// stay are all that any part of the line needs to know of it.
//
// There is one log for all lines. It keeps *windows* of successive stays, spread over the run: when it is
// full, every other window goes, and from then on half as many are kept. So all lines have the same share
// of theirs, from the same parts of the run. No Valgrind here.
#pragma once

#include "lines/ownership.h"
#include "rt/vector.h"

namespace memspy::sharing {

inline constexpr u32 kMostLineWords = lines::kMostLineBytes / 64;

// The words are those of the log.
struct Stay {
    u64 line = 0;  // address / line size
    u32 storer = 0, users = 0;
    const u64* words = nullptr;  // written bytes; then of each user its serial and bytes

    const u64* written() const { return words; }
    u32 user(u32 i) const { return static_cast<u32>(words[lines::line_words() + i * each()]); }
    const u64* used(u32 i) const { return words + lines::line_words() + i * each() + 1; }
    static u32 each() { return 1 + lines::line_words(); }
};

// All zeros is a valid empty object.
class StayLog {
public:
    static constexpr u32 kWindow = 4096;  // stays
    // A stay of two threads takes 64 bytes. The log is full
    // after some 60,000, and never less than half full then.
    static constexpr usize kMostWords = (usize{4} << 20) / sizeof(u64);

    // A store is about to end the line's present stay.
    void note(u64 line, const lines::Ownership& state);
    // Adds the stays by ascending lines, those of each in their order. Valid until the next note().
    void collect(rt::Vector<Stay>& stays) const;
    void clear();

private:
    struct StayWindow {
        u64 number;
        u32 start;  // in words_
    };
    void thin_out();

    u64 noted_ = 0, spacing_ = 0;  // every 2^spacing_-th window is kept
    rt::Vector<StayWindow> windows_;
    rt::Vector<u64> words_;
};

}  // namespace memspy::sharing
