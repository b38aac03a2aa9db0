// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyses/locality/maps.h"

#include <algorithm>
#include <new>

namespace memspy::locality {
namespace {

void add_up(u32& to, u32 more) { to = to + more < to ? ~u32{0} : to + more; }

}  // namespace

template <typename F>
void AccessMap::move_cells(F key) {
    struct Moved {
        u64 key;
        MapCell cell;
    };
    rt::Vector<Moved> moved;
    cells_.for_each([&](u64 old, const MapCell& cell) { moved.push_back(Moved{key(old), cell}); });
    cells_.clear();
    cells_moved();
    for (const Moved& each : moved) {
        MapCell& cell = cells_[each.key];
        add_up(cell.reads, each.cell.reads);
        add_up(cell.writes, each.cell.writes);
    }
}

void AccessMap::cells_moved() {
    ++layout_;
    if (recent_ != nullptr)
        std::fill_n(recent_, kRows, RecentCell{});
    else if (cells() > kLarge)
        recent_ = new (rt::allocate(kRows * sizeof(RecentCell), "memspy.map_cells")) RecentCell[kRows];
}

MapCell* AccessMap::find(u64 key) {
    if (recent_ == nullptr) return cells_.find(key);
    // Rows of different layers in different places.
    RecentCell& recent = recent_[(key + (key >> (kColumnBits + kRowBits)) * 53) % kRows];
    if (recent.cell == nullptr || recent.key != key) recent = RecentCell{key, cells_.find(key)};
    return recent.cell;
}

void AccessMap::double_step() {
    ++time_shift_;
    move_cells([](u64 key) {
        const u64 column = (key >> kRowBits) % kColumns;
        return key_of(key >> (kColumnBits + kRowBits), column / 2, key);
    });
}

void AccessMap::double_rows() {
    const u64 lowest = low_ >> row_shift_;
    ++row_shift_;
    move_cells([&](u64 key) {
        const u64 row = lowest + (key - lowest) % kRows;
        return key_of(key >> (kColumnBits + kRowBits), (key >> kRowBits) % kColumns, row / 2);
    });
}

// The cells that there are lie between low_ and high_ as they were.
void AccessMap::stretch(u64 begin, u64 end) {
    const u64 low = begin < low_ ? begin : low_, high = end - 1 > high_ ? end - 1 : high_;
    while ((high >> row_shift_) - (low >> row_shift_) >= kRows) double_rows();
    low_ = low;
    high_ = high;
}

void AccessMap::add(const MapAccess& access, bool may_grow, MapCursor& cursor) {
    if (!begun_) [[unlikely]] {
        begun_ = true;
        begin_ = access.time;
        low_ = access.begin;
        high_ = access.end - 1;
    }
    if (access.begin < low_ || access.end - 1 > high_) [[unlikely]]
        stretch(access.begin, access.end);
    // Threads' times may come a little out of order.
    const u64 since = access.time > begin_ ? access.time - begin_ : 0;
    while (since >> time_shift_ >= kColumns) [[unlikely]] double_step();
    for (u64 row = access.begin >> row_shift_; row <= (access.end - 1) >> row_shift_; ++row) {
        const u64 key = key_of(access.layer, since >> time_shift_, row);
        MapCell* cell = find(key);
        if (cell == nullptr) {
            if (!may_grow) continue;
            const usize before = cells_.capacity();
            cell = &cells_[key];
            if (cells_.capacity() != before) cells_moved();
        }
        count(*cell, access);
        cursor = {.map = this, .key = key, .cell = cell, .layout = layout_};
    }
}

Maps::~Maps() {
    for (AccessMap* map : maps_) {
        if (map == nullptr) continue;
        map->~AccessMap();
        rt::release(map);
    }
}

void Maps::add_elsewhere(const MapAccess& access, MapCursor& cursor) {
    if (access.object >= maps_.size()) maps_.resize(access.object + 1);
    AccessMap*& map = maps_[access.object];
    if (map == nullptr) map = new (rt::allocate(sizeof(AccessMap), "memspy.access_map")) AccessMap;
    const usize before = map->cells();
    map->add(access, !full_, cursor);
    cells_ += map->cells() - before;
    if (cells_ > most_cells_) [[unlikely]]
        make_room();
}

// Less than all is given back each time, so that the next time is not soon.
void Maps::make_room() {
    while (cells_ > most_cells_ / 4 * 3) {
        AccessMap* largest = nullptr;
        for (AccessMap* map : maps_)
            if (map != nullptr && map->may_shrink() &&
                (largest == nullptr || map->cells() > largest->cells()))
                largest = map;
        if (largest == nullptr) {
            full_ = cells_ > most_cells_;
            return;
        }
        cells_ -= largest->cells();
        largest->double_step();
        cells_ += largest->cells();
    }
}

}  // namespace memspy::locality
