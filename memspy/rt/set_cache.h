// SPDX-License-Identifier: GPL-2.0-or-later
//
// A set-associative cache of lines, identified by their numbers (address / line size), each with a mark and a
// tag. True LRU, or a tree of bits for each set. All zeros is a valid object that is not started. No Valgrind here.
#pragma once

#include "rt/base.h"

namespace memspy::rt {

class SetCache {
public:
    void start(u64 sets, u64 ways, bool pseudo_lru);
    void stop();  // frees its memory

    static constexpr u64 kNone = ~u64{0};
    struct Evicted {
        u64 line = kNone;
        bool marked = false;
    };
    // Whether the cache holds the line. If so, the line becomes the one used last.
    bool touch(u64 line) {
        u64* const set = set_of(line);
        if (pseudo_ || (set[0] & kLineBits) != word_of(line)) return touch_older(line);
        return true;
    }
    // touch(), and insert() if it did not hold the line. True LRU only.
    bool touch_or_insert(u64 line, Evicted& gone) {
        u64* const set = set_of(line);
        const u64 wanted = word_of(line);
        u64 moved = set[0];
        if ((moved & kLineBits) == wanted) return true;
        for (u64 way = 1; way < ways_; ++way) {
            const u64 word = set[way];
            set[way] = moved;
            if ((word & kLineBits) == wanted) {
                set[0] = word;
                return true;
            }
            moved = word;
        }
        set[0] = wanted;
        if (moved != 0) gone = {line_of(moved), (moved & 1) != 0};
        return false;
    }
    // Of the line that the caller has just touched or inserted, where there is an order of use.
    u32 latest_tag(u64 line) const { return static_cast<u32>(*set_of(line) >> kTagShift); }
    void set_latest_tag(u64 line, u32 tag) {
        u64& word = *set_of(line);
        word = (word & kWordBits) | tag_word(tag);
    }
    void mark_latest(u64 line) { *set_of(line) |= 1; }
    // The same for a line whose word is `word` once the bits of `any` are set in it, and which is not the one used last.
    // True LRU only.
    bool touch_older_word(u64 line, u64 word, u64 any) {
        u64* const set = set_of(line);
        u64 way = 1;
        while (way < ways_ && (set[way] | any) != word) ++way;
        if (way == ways_) return false;
        const u64 found = set[way];
        for (; way > 0; --way) set[way] = set[way - 1];
        set[0] = found;
        return true;
    }
    bool holds(u64 line) const { return find(line) != nullptr; }
    // True only if the line is the one of its set that was used last, and has the mark if `marked`.
    bool is_latest(u64 line, bool marked) const {
        return !pseudo_ && ((*set_of(line) & kWordBits) | (marked ? 0 : 1)) == (word_of(line) | 1);
    }
    // A copy of what is_latest() needs, where the number of sets is a power of two; without words: it is always false.
    struct LatestLines {
        const u64* words = nullptr;
        u64 mask = 0, ways = 0;
        u64 word(u64 line) const { return words[(line & mask) * ways]; }
        u32 tag(u64 line) const { return static_cast<u32>(word(line) >> kTagShift); }
        bool is(u64 line, bool marked) const {
            return ((word(line) & kWordBits) | (marked ? 0 : 1)) == (word_of(line) | 1);
        }
    };
    LatestLines latest() const {
        return pseudo_ || mask_ == kNone ? LatestLines{} : LatestLines{words_, mask_, ways_};
    }
    // Returns the line that was evicted.
    Evicted insert(u64 line);
    bool remove(u64 line);
    void remove_between(u64 first, u64 last);  // first <= line < last
    // A mark on a line that the cache holds.
    bool marked(u64 line) const;
    void set_mark(u64 line, bool marked);
    bool take_mark(u64 line);  // clears the mark; returns whether it was set
    // A number that the caller keeps with a line; 0 if it has none, or the cache does not hold the line. It goes when the
    // line does.
    u32 tag(u64 line) const;
    void set_tag(u64 line, u32 tag);
    void clear_tags();
    void clear_tags_between(u64 first, u64 last);  // first <= line < last
    static constexpr u32 kTagShift = 44, kMostTags = 1u << 20;

    // The word of a line: its number + 1, shifted up; bit 0 is the mark, the uppermost bits are the tag. 0: empty.
    static constexpr u64 word_of(u64 line) { return (line + 1) << 1; }
    static constexpr u64 tag_word(u32 tag) { return u64{tag} << kTagShift; }

private:
    static constexpr u64 kWordBits = (u64{1} << kTagShift) - 1;
    static constexpr u64 kLineBits = kWordBits & ~u64{1};
    static u64 line_of(u64 word) { return ((word & kLineBits) >> 1) - 1; }
    // The number of sets is a power of two in most caches.
    u64 index_of(u64 line) const { return mask_ != kNone ? line & mask_ : line % sets_; }
    u64* set_of(u64 line) const { return words_ + index_of(line) * ways_; }
    u64* find(u64 line) const;
    bool touch_older(u64 line);
    void used(u64 set, u64 way);

    u64* words_ = nullptr;  // LRU: in order of use
    u64* trees_ = nullptr;  // pseudo-LRU: a bit for each node, the root is bit 1
    u64 sets_ = 0, ways_ = 0, mask_ = 0;
    bool pseudo_ = false;
};

}  // namespace memspy::rt
