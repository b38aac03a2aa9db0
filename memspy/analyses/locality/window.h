// SPDX-License-Identifier: GPL-2.0-or-later
//
// Window: the last 32 words of a stream, and the distance of the next word to the nearest of them.
#pragma once

#include "analyses/locality/scores.h"

namespace memspy::locality {

class StrideWindow {
public:
    // The distance to the nearest word of the window; kCutOff or more if none is near. Words are compared by their lower
    // 32 bits: two words 32 GB apart would count as one, but in the client's address space there are none.
    u32 distance(Word word) const {
        return begun_ ? distance(static_cast<i32>(static_cast<u32>(word))) : kCutOff;
    }
    void add(Word word) {
        const auto low = static_cast<i32>(static_cast<u32>(word));
        if (!begun_) [[unlikely]]
            begin(low);
        lane(next_) = low;
        ++next_;
    }
    bool has_begun() const { return begun_; }
    void forget() { begun_ = false; }

private:
    // Four at a time: the whole window takes eight registers.
    using Four = i32 __attribute__((vector_size(16)));
    static constexpr u32 kFours = kWindow / 4;

    i32& lane(u32 i) { return reinterpret_cast<StrideLane*>(fours_)[i % kWindow].value; }
    u32 distance(i32 low) const {
        const Four wanted = {low, low, low, low};
        Four least = {0x7FFFFFFF, 0x7FFFFFFF, 0x7FFFFFFF, 0x7FFFFFFF};
        for (u32 i = 0; i < kFours; ++i) {
            Four apart = wanted - fours_[i];
            const Four sign = apart >> 31;
            apart = (apart ^ sign) - sign;
            const Four less = apart < least;
            least = (apart & less) | (least & ~less);
        }
        i32 nearest = least[0];
        for (u32 i = 1; i < 4; ++i)
            if (least[i] < nearest) nearest = least[i];
        return static_cast<u32>(nearest);
    }
    // Nothing is near the first word: the window is filled with words that are 8 GB away.
    void begin(i32 low) {
        begun_ = true;
        const i32 away = low ^ 0x40000000;
        for (Four& four : fours_) four = Four{away, away, away, away};
        next_ = 0;
    }

    struct __attribute__((may_alias)) StrideLane {
        i32 value;
    };
    Four fours_[kFours] = {};
    u32 next_ = 0;
    bool begun_ = false;
};

}  // namespace memspy::locality
