// SPDX-License-Identifier: GPL-2.0-or-later
//
// DefinedWords: the words that can be pointers, by shadow memory alone.
//
// The leak check asks before it reads, so that memory which the program never wrote is not read: a largely
// unused block of many gigabytes must not become resident through the check. Large uninitialised ranges share
// a few leaves of shadow memory. A leaf without any defined word is remembered, and the next 64 KiB with the
// same leaf are skipped at once.
#pragma once

#include "rt/base.h"
#include "shadow/shadow_map.h"

namespace memspy::defects {

class DefinedWords {
public:
    static constexpr Address kWord = 8;

    // The first aligned word at or behind `at` that ends by `end` and whose bytes are all Fine; `end` if
    // there is none.
    Address next(Address at, Address end) {
        at = (at + kWord - 1) & ~(kWord - 1);
        while (at + kWord <= end) {
            const u8* leaf = leaf_of(at);
            Address leaf_begin = at & ~static_cast<Address>(shadow::kLeafMask);
            Address leaf_end = leaf_begin + shadow::kLeafMask + 1;
            if (at == leaf_begin && is_barren(leaf)) {
                at = leaf_end;
                continue;
            }
            Address stop = leaf_end < end ? leaf_end : end;
            for (; at + kWord <= stop; at += kWord)
                if (states(leaf, at) == 0) return at;
            if (stop == end) break;
        }
        return end;
    }

    // Whether all bytes of the word at an aligned address are Fine.
    static bool defined(Address at) { return states(leaf_of(at), at) == 0; }

private:
    // The leaf as generated code finds it: a shared leaf that is not fine has no fine bytes.
    static const u8* leaf_of(Address at) {
        return shadow::shared_leaf() +
               shadow::primary_table()[(at >> shadow::kLeafBits) & shadow::kIndexMask];
    }

    // The eight states of an aligned word, two bits each.
    static u16 states(const u8* leaf, Address at) { return load(leaf + ((at & shadow::kLeafMask) >> 2)); }

    static u16 load(const u8* bytes) {
        u16 value;
        __builtin_memcpy(&value, bytes, sizeof value);
        return value;
    }

    bool is_barren(const u8* leaf) {
        if (leaf == barren_) return true;
        if (leaf == fertile_) return false;
        for (usize i = 0; i < shadow::kLeafBytes; i += sizeof(u16)) {
            if (load(leaf + i) == 0) {
                fertile_ = leaf;
                return false;
            }
        }
        barren_ = leaf;
        return true;
    }

    const u8* barren_ = nullptr;   // the last leaf that had no defined word
    const u8* fertile_ = nullptr;  // the last leaf that had some
};

}  // namespace memspy::defects
