// SPDX-License-Identifier: GPL-2.0-or-later
//
// Strides: for each word of a sequence the distance to the nearest of the kWindow words before it.
#pragma once

#include "analyses/locality/scores.h"

namespace memspy::locality {

// Words are compared by their lower 32 bits: two words 32 GB apart would count as one, but in the client's
// address space there are none.
inline u32 low_of(Word word) { return static_cast<u32>(word); }

// For the processor's wide instructions, where it has them. Call once.
void prepare_strides();

// How many words a call may read and write behind the last one.
inline constexpr u32 kStrideRoom = 8;

// The distance of each of `count` words to the nearest of the kWindow words before it, which precede `words`,
// at most kCutOff. Nothing depends on what is read behind the last word; there must be kStrideRoom of it in
// both arrays.
void find_strides(const u32* words, u32 count, u32* strides);

// The last words of a stream, between two batches.
class StrideHistory {
public:
    u32 known() const { return known_; }  // how many there are, at most kWindow
    void forget() { known_ = 0; }
    // Copies the kWindow words before the sequence that begins with `first` to where they belong.
    void give(u32 first, u32* words) {
        // Nothing is near a stream's first word: it follows words that are 8 GB away.
        if (known_ == 0)
            for (u32& each : words_) each = first ^ 0x40000000;
        __builtin_memcpy(words, words_, sizeof words_);
    }
    // The last kWindow words of what there is now, `more` of them new.
    void take(const u32* words, u32 more) {
        known_ = known_ + more < kWindow ? known_ + more : kWindow;
        __builtin_memcpy(words_, words, sizeof words_);
    }

private:
    u32 words_[kWindow] = {};
    u32 known_ = 0;
};

}  // namespace memspy::locality
