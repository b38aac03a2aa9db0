// SPDX-License-Identifier: GPL-2.0-or-later
//
// A set-associative cache of lines, identified by their numbers (address / line size), each with a mark and a
// tag. True LRU, or a tree of bits for each set. All zeros is a valid object that is not started. No Valgrind
// here.
//
// A line stays in its way. A filter has a byte of a hash for each way, eight in a word, so that one look at
// two words finds the line or tells that it is not there. The order of use of up to 16 ways is a list of
// their numbers in one word, which a use takes a few instructions to change. A cache that nearly all accesses
// hit is started `hinted` instead: its lines have stamps, so that a use is one store, and a table of hints
// finds the entry of a line (QuickLines).
#pragma once

#include "rt/base.h"

namespace memspy::rt {

class SetCache {
public:
    void start(u64 sets, u64 ways, bool pseudo_lru, bool hinted);
    void stop();  // frees its memory

    static constexpr u32 kNoEntry = ~u32{0};
    // A line that went, as it was. In one word, so that it is returned in a register.
    struct Evicted {
        u64 word = 0;  // 0: none
        u64 line() const { return line_of(word); }
        bool marked() const { return (word & 1) != 0; }
    };
    // Whether the cache holds the line. If so, the line becomes the one used last.
    bool touch(u64 line) {
        const u32 entry = find(line);
        if (entry == kNoEntry) return false;
        use(line, entry);
        return true;
    }
    // Has the processor fetch what a look-up of the line will load.
    void fetch_ahead(u64 line) const {
        const u64 index = index_of(line);
        __builtin_prefetch(filters_ + index * groups_);
        const u64* const words = words_ + index * ways_;
        __builtin_prefetch(words);
        if (ways_ > kFilterWays) __builtin_prefetch(words + kFilterWays);
    }
    // touch(), and insert() if it did not hold the line. The entry is valid until the line leaves the cache.
    struct TouchedLine {
        u32 entry;
        bool hit;
        Evicted gone;
    };
    TouchedLine touch_or_insert(u64 line) {
        const u32 entry = find(line);
        if (entry == kNoEntry) return replace(line);
        use(line, entry);
        return {entry, true, {}};
    }
    // The line is not there. Returns the line that was evicted.
    Evicted insert(u64 line) { return replace(line).gone; }
    bool holds(u64 line) const { return find(line) != kNoEntry; }
    // The entry of a line of a hinted cache; kNoEntry: it is not there.
    u32 entry_of(u64 line) const {
        const u32 entry = hints_ == nullptr ? kNoEntry : quick_lines().entry_of(line, false);
        return entry != kNoEntry ? entry : find(line);
    }
    // The line, which has this entry, is now the one used last.
    void use(u64 line, u32 entry) {
        if (stamps_ == nullptr) {
            const u64 index = index_of(line);
            return used_in_order(index, way_of(index, entry));
        }
        stamps_[entry] = ++clock_;
        if (hints_ != nullptr) hints_[hint_of(line)] = static_cast<u16>(entry);
    }
    bool share_a_set(u64 one, u64 other) const { return index_of(one) == index_of(other); }
    // Whether the line is the one of its set that was used last, and has the mark if `marked`. False with a
    // tree.
    bool is_latest(u64 line, bool marked) const {
        if (orders_ == nullptr) return stamps_ != nullptr && has_latest_stamp(line, marked);
        const u64 index = index_of(line);
        return is(words_[index * ways_ + (orders_[index] & 15)], line, marked);
    }
    bool remove(u64 line);
    // A mark on a line that the cache holds.
    bool marked(u64 line) const {
        const u32 entry = find(line);
        return entry != kNoEntry && (words_[entry] & 1) != 0;
    }
    void set_mark(u64 line, bool marked) {
        const u32 entry = find(line);
        if (entry != kNoEntry) words_[entry] = (words_[entry] & ~u64{1}) | (marked ? 1 : 0);
    }
    // Clears the mark; returns whether it was set.
    bool take_mark(u64 line) {
        const u32 entry = find(line);
        return entry != kNoEntry && take_mark_of(entry);
    }
    // A number that the caller keeps with a line; 0 if it has none, or the cache does not hold the line. It
    // goes when the line does.
    u32 tag(u64 line) const;
    void set_tag(u64 line, u32 tag);
    void clear_tags();
    void clear_tags_between(u64 first, u64 last);  // first <= line < last
    static constexpr u32 kTagShift = 44, kMostTags = 1u << 20;
    // The same by entry.
    u32 tag_of(u32 entry) const { return static_cast<u32>(words_[entry] >> kTagShift); }
    void set_tag_of(u32 entry, u32 tag) { words_[entry] = (words_[entry] & kWordBits) | tag_word(tag); }
    // Of a hinted cache: another number of the caller's, kept with a tag.
    void set_tag_of(u32 entry, u32 tag, u16 note) {
        set_tag_of(entry, tag);
        notes_[entry] = note;
    }
    void mark_entry(u32 entry) { words_[entry] |= 1; }
    // Marks the line if it has this entry.
    void mark_if(u32 entry, u64 line, bool marked) {
        words_[entry] |= marked && (words_[entry] & kLineBits) == word_of(line) ? 1 : 0;
    }
    // Of a hinted cache: a number of the caller's, kept by entry whichever line has it.
    bool has_links() const { return links_ != nullptr; }
    u32& link_of(u32 entry) { return links_[entry]; }
    bool take_mark_of(u32 entry) {
        const bool marked = (words_[entry] & 1) != 0;
        words_[entry] &= ~u64{1};
        return marked;
    }

    // The word of a line: its number + 1, shifted up; bit 0 is the mark, the uppermost bits are the tag. 0:
    // empty.
    static constexpr u64 word_of(u64 line) { return (line + 1) << 1; }
    static constexpr u64 tag_word(u32 tag) { return u64{tag} << kTagShift; }

    // Of a hinted cache, for a caller that looks up many lines, and keeps the order of the latest use in a
    // register: give it back with set_clock() before anything else uses the cache.
    struct QuickLines {
        const u64* words = nullptr;  // null: the cache has no hints
        u64* stamps = nullptr;
        const u16* hints = nullptr;
        const u16* notes = nullptr;
        // The word that may be the line's; if another line has its hint, it is that one's.
        u32 hint(u64 line) const { return hints[hint_of(line)]; }
        // The entry of the line if the hint finds it, and it has the mark if `marked`; kNoEntry else, though
        // it may be there.
        u32 entry_of(u64 line, bool marked) const {
            const u32 entry = hint(line);
            return is(words[entry], line, marked) ? entry : kNoEntry;
        }
        void used(u32 entry, u64& clock) const { stamps[entry] = ++clock; }
    };
    QuickLines quick_lines() const {
        return hints_ == nullptr ? QuickLines{} : QuickLines{words_, stamps_, hints_, notes_};
    }
    u64 clock() const { return clock_; }
    void set_clock(u64 clock) { clock_ = clock; }

private:
    static constexpr u64 kWordBits = (u64{1} << kTagShift) - 1;
    static constexpr u64 kLineBits = kWordBits & ~u64{1};
    static constexpr u32 kFilterWays = 8;  // of a word
    static constexpr u64 kBytes = 0x0101010101010101;
    static constexpr u32 kOrderWays = 16;
    static constexpr u64 kHints = 2048;
    static constexpr u64 kNoMask = ~u64{0};
    // Arrays are often a power of two apart.
    static u64 hint_of(u64 line) { return (line ^ line >> 11) % kHints; }
    static u8 filter_of(u64 line) { return static_cast<u8>(line * 0x9e3779b97f4a7c15u >> 56); }
    static u64 line_of(u64 word) { return ((word & kLineBits) >> 1) - 1; }
    // Of a word: it is the line's, and it has the mark if `marked`.
    static bool is(u64 word, u64 line, bool marked) {
        return ((word & kWordBits) | (marked ? 0 : 1)) == (word_of(line) | 1);
    }
    // The number of sets is a power of two in most caches.
    u64 index_of(u64 line) const { return mask_ != kNoMask ? line & mask_ : line % sets_; }
    u32 way_of(u64 index, u32 entry) const { return static_cast<u32>(entry - index * ways_); }

    // The uppermost bit of each byte of the word that is `bytes`' one, and of some above it.
    static u64 same_bytes(u64 word, u64 bytes) {
        const u64 apart = word ^ bytes;
        return (apart - kBytes) & ~apart & kBytes << 7;
    }
    u32 find(u64 line) const {
        const u64 index = index_of(line), wanted = word_of(line), bytes = filter_of(line) * kBytes;
        const u64* const filter = filters_ + index * groups_;
        // Two words at once, so that the processor need not guess which has the line: bits 0 and 4 of each
        // byte.
        for (u64 group = 0; group < groups_; group += 2) {
            u64 same = same_bytes(filter[group], bytes) >> 7 | same_bytes(filter[group + 1], bytes) >> 3;
            for (; same != 0; same &= same - 1) {
                const u64 at = static_cast<u64>(__builtin_ctzll(same));
                const u64 entry = index * ways_ + group * kFilterWays + (at & 4) * 2 + at / 8;
                if ((words_[entry] & kLineBits) == wanted) return static_cast<u32>(entry);
            }
        }
        return kNoEntry;
    }
    void used_in_order(u64 index, u32 way) {
        if (orders_ == nullptr) return used_in_tree(index, way);
        constexpr u64 kDigits = 0x1111111111111111;
        u64& order = orders_[index];
        const u64 apart = order ^ way * kDigits;
        const u32 at = static_cast<u32>(__builtin_ctzll((apart - kDigits) & ~apart & kDigits << 3)) & ~3u;
        const u64 younger = order & ((u64{1} << at) - 1), older = order & ~((u64{16} << at) - 1);
        order = older | younger << 4 | way;
    }
    void used_in_tree(u64 index, u32 way);
    bool has_latest_stamp(u64 line, bool marked) const;
    // An empty one, if there is one.
    u32 oldest_way_of(u64 index) const {
        if (orders_ != nullptr) return static_cast<u32>(orders_[index] >> 4 * (ways_ - 1) & 15);
        return stamps_ != nullptr && ways_ == 8 ? oldest_of_eight(stamps_ + index * 8)
                                                : oldest_way_without_order(index);
    }
    u32 oldest_way_without_order(u64 index) const;
    static constexpr u32 kWayBits = 16;
    // The usual number of ways of a first level. Minima of (stamp, way), so that the processor need not
    // guess.
    static u32 oldest_of_eight(const u64* stamps) {
        const auto of = [&](u64 way) { return stamps[way] << kWayBits | way; };
        const auto older = [](u64 one, u64 other) { return one < other ? one : other; };
        const u64 oldest = older(older(older(of(0), of(1)), older(of(2), of(3))),
                                 older(older(of(4), of(5)), older(of(6), of(7))));
        return static_cast<u32>(oldest & ((u64{1} << kWayBits) - 1));
    }
    [[gnu::always_inline]] TouchedLine replace(u64 line) {
        const u64 index = index_of(line);
        const u32 way = oldest_way_of(index), shift = way % kFilterWays * 8;
        const u32 entry = static_cast<u32>(index * ways_) + way;
        const Evicted gone{words_[entry]};
        words_[entry] = word_of(line);
        u64& filter = filters_[index * groups_ + way / kFilterWays];
        filter = (filter & ~(u64{0xff} << shift)) | u64{filter_of(line)} << shift;
        use(line, entry);
        return {entry, false, gone};
    }
    void empty(u64 index, u32 entry);

    u64* words_ = nullptr;    // by set and way
    u64* filters_ = nullptr;  // by set and kFilterWays ways
    // One of them.
    u64* trees_ = nullptr;  // a bit for each node, the root is bit 1
    u64* orders_ =
        nullptr;  // of each set, the numbers of its ways: the one used last in the lowest four bits
    u64* stamps_ = nullptr;  // by set and way; 0: empty
    u16* hints_ = nullptr;
    u16* notes_ = nullptr;  // by set and way
    u32* links_ = nullptr;  // likewise
    u64 sets_ = 0, ways_ = 0, groups_ = 0, mask_ = 0, clock_ = 0;
};

}  // namespace memspy::rt
