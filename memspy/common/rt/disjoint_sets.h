// SPDX-License-Identifier: GPL-2.0-or-later
//
// Disjoint sets of numbers: each is alone until it is joined with others. The root of a set is its least number.
#pragma once

#include "rt/hash_map.h"

namespace memspy::rt {

class DisjointSets {
public:
    u32 root_of(u32 number) {
        while (u32* const up = parents_.find(number)) {
            if (const u32* const next = parents_.find(*up)) *up = *next;  // so ways stay short
            number = *up;
        }
        return number;
    }
    void join(u32 one, u32 other) {
        const u32 x = root_of(one), y = root_of(other);
        if (x != y) parents_[x > y ? x : y] = x < y ? x : y;
    }

private:
    HashMap<u32> parents_;  // of numbers that are no roots
};

}  // namespace memspy::rt
