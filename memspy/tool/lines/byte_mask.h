// SPDX-License-Identifier: GPL-2.0-or-later
//
// Mask: a set of bytes of a line, 64 for each word.
#pragma once

#include "rt/base.h"

namespace memspy::lines {

template <usize kWords>
struct Mask {
    u64 words[kWords];

    static Mask none() { return Mask{}; }
    static Mask range(u32 first, u32 bytes) {
        Mask mask{};
        if constexpr (kWords == 1) {
            mask.words[0] = (~u64{0} >> (64 - bytes)) << first;
        } else {
            for (usize i = 0; i < kWords; ++i) {
                u32 begin = static_cast<u32>(i) * 64, end = begin + 64;
                u32 from = first > begin ? first : begin;
                u32 to = first + bytes < end ? first + bytes : end;
                if (from < to) mask.words[i] = (~u64{0} >> (64 - (to - from))) << (from - begin);
            }
        }
        return mask;
    }

    bool empty() const {
        u64 all = 0;
        for (u64 word : words) all |= word;
        return all == 0;
    }
    bool meets(const Mask& other) const { return !(*this & other).empty(); }
    bool within(const Mask& other) const { return (*this - other).empty(); }
    Mask operator&(const Mask& other) const {
        return each(other, [](u64 a, u64 b) { return a & b; });
    }
    Mask operator|(const Mask& other) const {
        return each(other, [](u64 a, u64 b) { return a | b; });
    }
    Mask operator-(const Mask& other) const {
        return each(other, [](u64 a, u64 b) { return a & ~b; });
    }

private:
    template <typename F>
    Mask each(const Mask& other, F f) const {
        Mask result;
        for (usize i = 0; i < kWords; ++i) result.words[i] = f(words[i], other.words[i]);
        return result;
    }
};

}  // namespace memspy::lines
