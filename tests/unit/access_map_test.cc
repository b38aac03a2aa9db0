// SPDX-License-Identifier: GPL-2.0-or-later
//
// Access maps against the list of all accesses: whatever lengths columns and rows have in the end, each cell has the
// accesses that lie in it, also where memory was short. And the text of a map.
#include <gtest/gtest.h>

#include <map>
#include <random>
#include <tuple>
#include <vector>

#include "analyses/locality/maps.h"
#include "analyses/locality/output/map_text.h"

namespace memspy::locality {
namespace {

using Cells = std::map<std::tuple<u32, u64, u64>, std::pair<u64, u64>>;  // layer, column, row: reads, writes

Cells cells_of(const AccessMap& map) {
    Cells cells;
    map.for_each([&](u32 layer, u32 column, u32 row, const MapCell& cell) {
        EXPECT_LT(column, AccessMap::kColumns);
        EXPECT_LT(row, map.rows());
        cells[{layer, column, row}] = {cell.reads, cell.writes};
    });
    return cells;
}

// The cells that `accesses` make in a map of this geometry.
Cells cells_of(const std::vector<MapAccess>& accesses, const AccessMap& map) {
    Cells cells;
    for (const MapAccess& each : accesses)
        for (u64 row = each.begin / map.row_bytes(); row <= (each.end - 1) / map.row_bytes(); ++row) {
            auto& cell = cells[{each.layer, (each.time - map.begin()) / map.step(),
                                row - map.first_byte() / map.row_bytes()}];
            (each.stores ? cell.second : cell.first) += each.weight;
        }
    return cells;
}

class AccessMapTest : public ::testing::TestWithParam<u64> {};

// With rows of more than a word no access counts twice when they get longer.
TEST_P(AccessMapTest, AgreesWithTheAccesses) {
    std::mt19937_64 random(GetParam());
    Maps maps;
    if (GetParam() % 2 != 0) maps.set_most_cells(4000);
    std::map<u32, std::vector<MapAccess>> accesses;
    MapCursor cursors[4][5];  // as of several instructions; they outlive changes of the map
    u64 time = random() % 1000;
    const u64 size = u64{64} << random() % 20, pace = 1 + random() % 200;
    for (u32 i = 0; i < 20'000; ++i) {
        MapAccess access;
        access.object = 1 + static_cast<u32>(random() % 3);
        access.layer = static_cast<u32>(random() % 2);
        access.begin = (random() % 4 != 0 ? i * 4 : random()) % size / 4 * 4;
        access.end = access.begin + 4;
        access.time = time += random() % pace;
        access.weight = 1 + static_cast<u32>(random() % 2) * 63;
        access.stores = random() % 3 == 0;
        accesses[access.object].push_back(access);
        maps.add(access, cursors[access.object][random() % 5]);
    }
    usize cells = 0;
    for (const auto& [object, all] : accesses) {
        const AccessMap& map = *maps.of(object);
        EXPECT_LE(map.rows(), AccessMap::kRows);
        EXPECT_EQ(cells_of(map), cells_of(all, map));
        cells += map.cells();
    }
    EXPECT_EQ(cells, maps.cells());
    if (GetParam() % 2 != 0 && !maps.full()) {
        EXPECT_LE(cells, 4000u);
    }
    EXPECT_EQ(maps.of(4), nullptr);
}
INSTANTIATE_TEST_SUITE_P(Seeds, AccessMapTest, ::testing::Range<u64>(0, 40));

// Many objects of a few cells each: nothing can be made coarser, and what has cells goes on counting.
TEST(MapsTest, Full) {
    Maps maps;
    maps.set_most_cells(100);
    for (u32 round = 0; round < 2; ++round)
        for (u32 object = 1; object <= 200; ++object) {
            MapAccess access;
            access.object = object;
            access.end = 8;
            access.time = round;
            MapCursor cursor;
            maps.add(access, cursor);
        }
    EXPECT_TRUE(maps.full());
    EXPECT_LE(maps.cells(), 102u);
    maps.of(1)->for_each([](u32, u32, u32, const MapCell& cell) { EXPECT_EQ(cell.reads, 2u); });
}

TEST(MapTextTest, Cells) {
    MapText text;
    text.cell(3, 2, 1);
    text.cell(3, 3, 3);
    text.cell(3, 4, 2);
    text.cell(3, 9, 0);
    text.cell(4, 2, 1);
    text.cell(4, 3, 2);
    text.cell(4, 4, 2);
    text.cell(6, 0, ~u32{0});
    text.cell(6, 2, 1 << 26);
    EXPECT_STREQ(text.finish(), "3-4:2.A2B 6:f.a");
    MapText none;
    none.cell(0, 0, 0);
    EXPECT_STREQ(none.finish(), "");
}

}  // namespace
}  // namespace memspy::locality
