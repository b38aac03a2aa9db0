// SPDX-License-Identifier: GPL-2.0-or-later
#include "rt/set_cache.h"

namespace memspy::rt {

namespace {

template <typename T>
T* zeroed(u64 count) {
    auto* const made = static_cast<T*>(allocate(count * sizeof(T), "memspy.set_cache"));
    for (u64 i = 0; i < count; ++i) made[i] = 0;
    return made;
}

template <typename T>
void give_back(T*& array) {
    if (array != nullptr) release(array);
    array = nullptr;
}

constexpr u64 kFirstOrder = 0xfedcba9876543210;

}  // namespace

void SetCache::start(u64 sets, u64 ways, bool pseudo_lru, bool hinted) {
    sets_ = sets;
    mask_ = (sets_ & (sets_ - 1)) == 0 ? sets_ - 1 : kNoMask;
    ways_ = ways;
    groups_ = (ways_ + 2 * kFilterWays - 1) / (2 * kFilterWays) * 2;
    CHECK_LT(sets_ * ways_, u64{kNoEntry});
    // The filter's last words may stand for more ways than there are.
    words_ = zeroed<u64>(sets_ * ways_ + 2 * kFilterWays);
    filters_ = zeroed<u64>(sets_ * groups_);
    trees_ = orders_ = stamps_ = nullptr;
    hints_ = notes_ = nullptr;
    links_ = nullptr;
    clock_ = 0;
    if (pseudo_lru && ways_ > 1) {
        trees_ = zeroed<u64>(sets_);
    } else if (hinted || ways_ > kOrderWays) {
        stamps_ = zeroed<u64>(sets_ * ways_);
        if (hinted && sets_ * ways_ <= u64{1} << 16) {
            hints_ = zeroed<u16>(kHints);
            notes_ = zeroed<u16>(sets_ * ways_);
            links_ = zeroed<u32>(sets_ * ways_);
        }
    } else {
        orders_ = zeroed<u64>(sets_);
        for (u64 i = 0; i < sets_; ++i) orders_[i] = kFirstOrder;
    }
}

void SetCache::stop() {
    give_back(words_);
    give_back(filters_);
    give_back(trees_);
    give_back(orders_);
    give_back(stamps_);
    give_back(hints_);
    give_back(notes_);
    give_back(links_);
}

void SetCache::used_in_tree(u64 index, u32 way) {
    // From now on every node on the path to the way points to the other side.
    for (u64 node = way + ways_; node > 1; node /= 2) {
        const u64 bit = u64{1} << (node / 2);
        trees_[index] = node % 2 == 0 ? trees_[index] | bit : trees_[index] & ~bit;
    }
}

u32 SetCache::oldest_way_without_order(u64 index) const {
    const u64 first = index * ways_;
    if (stamps_ != nullptr) {
        // Minima of (stamp, way), so that the processor need not guess.
        u64 oldest = ~u64{0};
        for (u64 i = 0; i < ways_; ++i) {
            const u64 stamp = stamps_[first + i] << kWayBits | i;
            oldest = stamp < oldest ? stamp : oldest;
        }
        return oldest & ((u64{1} << kWayBits) - 1);
    }
    u64 way = 0;
    while (way < ways_ && words_[first + way] != 0) ++way;
    if (way < ways_) return static_cast<u32>(way);
    u64 node = 1;
    while (node < ways_) node = 2 * node + (trees_[index] >> node & 1);
    return static_cast<u32>(node - ways_);
}

// Its way is the next one to be taken.
void SetCache::empty(u64 index, u32 entry) {
    words_[entry] = 0;
    if (stamps_ != nullptr) stamps_[entry] = 0;
    if (orders_ == nullptr) return;
    const u32 way = way_of(index, entry);
    used_in_order(index, way);
    const u32 last = 4 * static_cast<u32>(ways_ - 1);
    u64& order = orders_[index];
    const u64 unused = last == 60 ? 0 : order >> (last + 4) << (last + 4);
    order = unused | (order & ~(unused)) >> 4 | u64{way} << last;
}

bool SetCache::has_latest_stamp(u64 line, bool marked) const {
    const u32 entry = find(line);
    if (entry == kNoEntry || !is(words_[entry], line, marked)) return false;
    const u64 first = index_of(line) * ways_;
    u64 latest = 0;
    for (u64 way = 0; way < ways_; ++way)
        latest = stamps_[first + way] > latest ? stamps_[first + way] : latest;
    return stamps_[entry] == latest;
}

bool SetCache::remove(u64 line) {
    const u32 entry = find(line);
    if (entry == kNoEntry) return false;
    empty(index_of(line), entry);
    return true;
}

u32 SetCache::tag(u64 line) const {
    const u32 entry = find(line);
    return entry != kNoEntry ? tag_of(entry) : 0;
}

void SetCache::set_tag(u64 line, u32 tag) {
    CHECK_LT(tag, kMostTags);
    const u32 entry = find(line);
    if (entry != kNoEntry) set_tag_of(entry, tag);
}

void SetCache::clear_tags() {
    for (u64 i = 0; i < sets_ * ways_; ++i) words_[i] &= kWordBits;
}

void SetCache::clear_tags_between(u64 first, u64 last) {
    if (last - first > sets_ * ways_) return clear_tags();
    for (u64 line = first; line < last; ++line) set_tag(line, 0);
}

}  // namespace memspy::rt
