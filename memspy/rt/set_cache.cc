// SPDX-License-Identifier: GPL-2.0-or-later
#include "rt/set_cache.h"

namespace memspy::rt {

void SetCache::start(u64 sets, u64 ways, bool pseudo_lru) {
    sets_ = sets;
    mask_ = (sets_ & (sets_ - 1)) == 0 ? sets_ - 1 : kNone;
    ways_ = ways;
    pseudo_ = pseudo_lru && ways > 1;
    words_ = static_cast<u64*>(allocate(sets_ * ways_ * sizeof(u64), "memspy.set_cache"));
    for (u64 i = 0; i < sets_ * ways_; ++i) words_[i] = 0;
    trees_ = nullptr;
    if (!pseudo_) return;
    trees_ = static_cast<u64*>(allocate(sets_ * sizeof(u64), "memspy.set_cache"));
    for (u64 i = 0; i < sets_; ++i) trees_[i] = 0;
}

void SetCache::stop() {
    if (words_ != nullptr) release(words_);
    if (trees_ != nullptr) release(trees_);
    words_ = trees_ = nullptr;
}

u64* SetCache::find(u64 line) const {
    u64* const set = set_of(line);
    for (u64 way = 0; way < ways_; ++way)
        if ((set[way] & kLineBits) == word_of(line)) return set + way;
    return nullptr;
}

// From now on every node on the path to the way points to the other side.
void SetCache::used(u64 set, u64 way) {
    for (u64 node = way + ways_; node > 1; node /= 2) {
        const u64 bit = u64{1} << (node / 2);
        trees_[set] = node % 2 == 0 ? trees_[set] | bit : trees_[set] & ~bit;
    }
}

// The line is not the one used last, or there is no order of use.
bool SetCache::touch_older(u64 line) {
    u64* const set = set_of(line);
    if (pseudo_) {
        u64* const at = find(line);
        if (at == nullptr) return false;
        used(index_of(line), static_cast<u64>(at - set));
        return true;
    }
    const u64 wanted = word_of(line);
    u64 way = 1;
    while (way < ways_ && (set[way] & kLineBits) != wanted) ++way;
    if (way == ways_) return false;
    const u64 word = set[way];
    for (; way > 0; --way) set[way] = set[way - 1];
    set[0] = word;
    return true;
}

SetCache::Evicted SetCache::insert(u64 line) {
    u64* const set = set_of(line);
    u64* victim = set + ways_ - 1;
    if (pseudo_) {
        u64 way = 0;
        while (way < ways_ && set[way] != 0) ++way;
        if (way == ways_) {
            u64 node = 1;
            while (node < ways_) node = 2 * node + (trees_[index_of(line)] >> node & 1);
            way = node - ways_;
        }
        victim = set + way;
        used(index_of(line), way);
    }
    Evicted gone;
    if (*victim != 0) gone = {line_of(*victim), (*victim & 1) != 0};
    if (pseudo_) {
        *victim = word_of(line);
    } else {
        for (u64* to = victim; to > set; --to) *to = to[-1];
        *set = word_of(line);
    }
    return gone;
}

bool SetCache::remove(u64 line) {
    u64* const at = find(line);
    if (at == nullptr) return false;
    if (pseudo_) {
        *at = 0;
        return true;
    }
    u64* const last = set_of(line) + ways_ - 1;
    for (u64* to = at; to < last; ++to) *to = to[1];
    *last = 0;
    return true;
}

void SetCache::remove_between(u64 first, u64 last) {
    for (u64 set = 0; set < sets_; ++set) {
        u64* const words = words_ + set * ways_;
        u64 kept = 0;
        for (u64 way = 0; way < ways_; ++way) {
            const u64 word = words[way];
            const bool goes = word != 0 && line_of(word) >= first && line_of(word) < last;
            if (pseudo_)
                words[way] = goes ? 0 : word;
            else if (!goes)
                words[kept++] = word;
        }
        for (; !pseudo_ && kept < ways_; ++kept) words[kept] = 0;
    }
}

bool SetCache::marked(u64 line) const {
    const u64* const at = find(line);
    return at != nullptr && (*at & 1) != 0;
}

void SetCache::set_mark(u64 line, bool marked) {
    if (u64* const at = find(line)) *at = (*at & ~u64{1}) | (marked ? 1 : 0);
}

bool SetCache::take_mark(u64 line) {
    u64* const at = find(line);
    if (at == nullptr || (*at & 1) == 0) return false;
    *at &= ~u64{1};
    return true;
}

u32 SetCache::tag(u64 line) const {
    const u64* const at = find(line);
    return at != nullptr ? static_cast<u32>(*at >> kTagShift) : 0;
}

void SetCache::set_tag(u64 line, u32 tag) {
    CHECK_LT(tag, kMostTags);
    if (u64* const at = find(line)) *at = (*at & kWordBits) | tag_word(tag);
}

void SetCache::clear_tags() {
    for (u64 i = 0; i < sets_ * ways_; ++i) words_[i] &= kWordBits;
}

void SetCache::clear_tags_between(u64 first, u64 last) {
    if (last - first > sets_ * ways_) return clear_tags();
    for (u64 line = first; line < last; ++line) set_tag(line, 0);
}

}  // namespace memspy::rt
