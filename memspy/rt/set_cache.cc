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
    clock_ = 0;
    if (pseudo_lru && ways_ > 1) {
        trees_ = zeroed<u64>(sets_);
    } else if (hinted || ways_ > kOrderWays) {
        stamps_ = zeroed<u64>(sets_ * ways_);
        if (hinted && sets_ * ways_ <= u64{1} << 16) {
            hints_ = zeroed<u16>(kHints);
            notes_ = zeroed<u16>(sets_ * ways_);
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
}

void SetCache::used_in_order(u64 index, u32 way) {
    if (orders_ != nullptr) {
        constexpr u64 kDigits = 0x1111111111111111;
        u64& order = orders_[index];
        const u64 apart = order ^ way * kDigits;
        const u32 at = static_cast<u32>(__builtin_ctzll((apart - kDigits) & ~apart & kDigits << 3)) & ~3u;
        const u64 younger = order & ((u64{1} << at) - 1), older = order & ~((u64{16} << at) - 1);
        order = older | younger << 4 | way;
        return;
    }
    // From now on every node on the path to the way points to the other side.
    for (u64 node = way + ways_; node > 1; node /= 2) {
        const u64 bit = u64{1} << (node / 2);
        trees_[index] = node % 2 == 0 ? trees_[index] | bit : trees_[index] & ~bit;
    }
}

// An empty one, if there is one.
inline u32 SetCache::oldest_of(u64 index) const {
    const u64 first = index * ways_;
    u64 way = 0;
    if (orders_ != nullptr) {
        way = orders_[index] >> 4 * (ways_ - 1) & 15;
    } else if (stamps_ != nullptr) {
        // Minima of (stamp, way), so that the processor need not guess.
        constexpr u32 kWayBits = 16;
        u64 oldest = ~u64{0};
        for (u64 i = 0; i < ways_; ++i) {
            const u64 stamp = stamps_[first + i] << kWayBits | i;
            oldest = stamp < oldest ? stamp : oldest;
        }
        way = oldest & ((u64{1} << kWayBits) - 1);
    } else {
        while (way < ways_ && words_[first + way] != 0) ++way;
        if (way == ways_) {
            u64 node = 1;
            while (node < ways_) node = 2 * node + (trees_[index] >> node & 1);
            way = node - ways_;
        }
    }
    return static_cast<u32>(first + way);
}

SetCache::TouchedLine SetCache::replace(u64 line) {
    const u64 index = index_of(line);
    const u32 entry = oldest_of(index);
    const u32 way = way_of(index, entry), shift = way % kFilterWays * 8;
    const Evicted gone{words_[entry]};
    words_[entry] = word_of(line);
    u64& filter = filters_[index * groups_ + way / kFilterWays];
    filter = (filter & ~(u64{0xff} << shift)) | u64{filter_of(line)} << shift;
    use(line, entry);
    return {entry, false, gone};
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
