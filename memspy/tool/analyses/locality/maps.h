// SPDX-License-Identifier: GPL-2.0-or-later
//
// Access maps: how often each part of an object was read and written, and when. Of each object a picture of
// at most kColumns x kRows cells; a column is a stretch of time, in instructions of the program, a row some
// bytes of the object.
//
// A picture begins with the first access. When time runs out of it, a column becomes twice as long, and cells
// two of which are one now are added. When an access is too far from the others, rows likewise become twice
// as long. All maps together have at most `most_cells` cells: where they would have more, the map with most
// of them makes its columns twice as long. So memory is bounded whatever the program does, and the picture
// gets coarser, never wrong.
//
// A cell is kept for each *layer* that accessed it: a number of the caller's, of a thread and a function.
#pragma once

#include "rt/hash_map.h"
#include "rt/vector.h"

namespace memspy::locality {

struct MapCell {
    u32 reads = 0, writes = 0;  // no more than fits
};

// Bytes [begin, end) of one word of an object, `weight` times.
struct MapAccess {
    u32 object = 0, layer = 0;
    u64 begin = 0, end = 0;
    u64 time = 0;
    u32 weight = 1;
    bool stores = false;
};

class AccessMap;
// Where the last access of an instruction to an object was counted: the next one mostly belongs there, too.
struct MapCursor {
    AccessMap* map = nullptr;  // of the object; null: not known
    u64 key = 0;
    MapCell* cell = nullptr;
    u32 layout = 0;
};

class AccessMap {
public:
    static constexpr u32 kColumnBits = 9, kRowBits = 8;
    static constexpr u32 kColumns = 1 << kColumnBits, kRows = 1 << kRowBits;
    static constexpr u32 kLeastRowShift = 2;

    AccessMap() = default;
    AccessMap(const AccessMap&) = delete;
    AccessMap& operator=(const AccessMap&) = delete;
    ~AccessMap() {
        if (recent_ != nullptr) rt::release(recent_);
    }

    u64 begin() const { return begin_; }                // time of the first column
    u64 step() const { return u64{1} << time_shift_; }  // of a column
    u64 row_bytes() const { return u64{1} << row_shift_; }
    u64 first_byte() const { return low_ >> row_shift_ << row_shift_; }
    u32 rows() const { return static_cast<u32>((high_ >> row_shift_) - (low_ >> row_shift_)) + 1; }
    usize cells() const { return cells_.size(); }

    // Counts the access if it belongs to the cursor's cell.
    bool add_again(const MapAccess& access, const MapCursor& cursor) {
        if (cursor.layout != layout_ || access.begin < low_ || access.end - 1 > high_) return false;
        const u64 row = access.begin >> row_shift_;
        const u64 column = (access.time > begin_ ? access.time - begin_ : 0) >> time_shift_;
        if (column >= kColumns || key_of(access.layer, column, row) != cursor.key ||
            (access.end - 1) >> row_shift_ != row)
            return false;
        count(*cursor.cell, access);
        return true;
    }
    // Whether a cell that was not there may be made: otherwise the access is left out.
    void add(const MapAccess& access, bool may_grow, MapCursor& cursor);
    void double_step();
    bool may_shrink() const { return cells() > kSmall && time_shift_ < kMostTimeShift; }
    // Calls f(layer, column, row, cell), in no order; rows count from first_byte().
    template <typename F>
    void for_each(F f) const {
        cells_.for_each([&](u64 key, const MapCell& cell) {
            const u32 row = (static_cast<u32>(key) - static_cast<u32>(low_ >> row_shift_)) % kRows;
            f(static_cast<u32>(key >> (kColumnBits + kRowBits)), static_cast<u32>(key >> kRowBits) % kColumns,
              row, cell);
        });
    }

private:
    static constexpr usize kSmall = 64, kLarge = 256;
    static constexpr u32 kMostTimeShift = 40;

    // Rows are numbered by offset, modulo kRows: no two of them have the same number while they are near
    // enough.
    static u64 key_of(u64 layer, u64 column, u64 row) {
        return (layer << kColumnBits | column) << kRowBits | row % kRows;
    }
    static void count(MapCell& cell, const MapAccess& access) {
        u32& to = access.stores ? cell.writes : cell.reads;
        to = to + access.weight < to ? ~u32{0} : to + access.weight;
    }
    MapCell* find(u64 key);
    void cells_moved();
    void double_rows();
    void stretch(u64 begin, u64 end);
    template <typename F>
    void move_cells(F key);

    mutable rt::HashMap<MapCell> cells_;
    u32 layout_ = 1;  // another one whenever cells were moved
    // One cell for each row: accesses anywhere in an object mostly go to a cell that was there a while
    // before. A map with few cells needs none.
    struct RecentCell {
        u64 key = 0;
        MapCell* cell = nullptr;
    };
    RecentCell* recent_ = nullptr;
    u64 begin_ = 0;
    u64 low_ = 0, high_ = 0;  // the first and last byte
    u32 time_shift_ = 4, row_shift_ = kLeastRowShift;
    bool begun_ = false;
};

class Maps {
public:
    Maps() = default;
    Maps(const Maps&) = delete;
    Maps& operator=(const Maps&) = delete;
    ~Maps();

    // The cursor is for accesses to this object only.
    void add(const MapAccess& access, MapCursor& cursor) {
        if (cursor.map == nullptr || !cursor.map->add_again(access, cursor)) add_elsewhere(access, cursor);
    }
    const AccessMap* of(u32 object) const { return object < maps_.size() ? maps_[object] : nullptr; }
    bool full() const { return full_; }  // then cells are missing
    usize cells() const { return cells_; }
    void set_most_cells(usize most) { most_cells_ = most; }

private:
    void add_elsewhere(const MapAccess& access, MapCursor& cursor);
    void make_room();

    rt::Vector<AccessMap*> maps_;  // by object
    usize cells_ = 0, most_cells_ = 1 << 19;
    bool full_ = false;
};

}  // namespace memspy::locality
