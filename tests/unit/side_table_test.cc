// SPDX-License-Identifier: GPL-2.0-or-later
//
// The side table keeps exact bits and an origin per byte as a plain map does; of two origins in four bytes the
// last.
#include "shadow/side_table.h"

#include <gtest/gtest.h>

#include <array>
#include <map>
#include <random>
#include <vector>

namespace memspy::shadow {
namespace {

constexpr Address kBase = 0x5000'0000;

struct ModelEntry {
    std::array<u8, 8> undefined;
    std::array<ContextId, 8> origin;

    void store(usize byte, u8 bits, ContextId from) {
        undefined[byte] = bits;
        origin[byte] = from;
        if (from == ContextId::None) return;
        for (usize i = byte & 4; i < (byte & 4) + 4; ++i)
            if (origin[i] != from) origin[i] = ContextId::None;
    }
};
using Model = std::map<u64, ModelEntry>;

ModelEntry& model_make(Model& model, Address a) {
    auto [entry, added] = model.try_emplace(a >> 3);
    if (added) {
        entry->second.undefined.fill(0xff);
        entry->second.origin.fill(ContextId::None);
    }
    return entry->second;
}

void model_forget(Model& model, Address begin, usize bytes) {
    for (auto i = model.begin(); i != model.end();) {
        unsigned covered = 0;
        for (usize j = 0; j < 8; ++j)
            if ((i->first << 3) + j - begin < bytes) {
                i->second.store(j, 0xff, ContextId::None);
                ++covered;
            }
        i = covered == 8 ? model.erase(i) : std::next(i);
    }
}

void model_copy(Model& model, Address to, Address from, usize bytes) {
    Model old = model;
    model_forget(model, to, bytes);
    for (auto& [group, entry] : old)
        for (usize j = 0; j < 8; ++j) {
            usize offset = (group << 3) + j - from;
            if (offset >= bytes) continue;
            model_make(model, to + offset).store((to + offset) & 7, entry.undefined[j], entry.origin[j]);
        }
}

void compare(const Model& model) {
    ASSERT_EQ(side_count(), model.size());
    ASSERT_EQ(side_empty(), model.empty());
    for (auto& [group, wanted] : model) {
        SideEntry* entry = side_find((group << 3) + group % 8);
        ASSERT_NE(entry, nullptr);
        for (usize j = 0; j < 8; ++j) {
            ASSERT_EQ(entry->undefined[j], wanted.undefined[j]);
            ASSERT_EQ(entry->origin(j), wanted.origin[j]);
        }
    }
}

TEST(SideTable, BehavesAsModel) {
    std::mt19937_64 random(1);
    Model model;
    for (int round = 0; round < 20'000; ++round) {
        Address a = kBase + random() % 2000;
        usize bytes = random() % (random() % 4 == 0 ? 1500 : 40);
        switch (random() % 7) {
            case 6: {
                // Some bytes of a group at once are the same as one after the other.
                const u64 bytes_meant = random(), bits = random();
                const auto origin = static_cast<ContextId>(random() % 4);
                u64 mask = 0;
                for (unsigned j = 0; j < 8; ++j)
                    if ((bytes_meant >> j & 1) != 0) {
                        mask |= u64{0xff} << 8 * j;
                        model_make(model, a).store(j, static_cast<u8>(bits >> 8 * j), origin);
                    }
                if (mask != 0) side_make(a).store_bytes(mask, bits, origin);
                break;
            }
            case 0:
            case 1:
            case 2: {
                u8 mask = static_cast<u8>(random());
                const auto origin = static_cast<ContextId>(random() % 4);
                side_make(a).store(a, mask, origin);
                model_make(model, a).store(a & 7, mask, origin);
                break;
            }
            case 3:
                side_forget_range(a, bytes);
                model_forget(model, a, bytes);
                break;
            case 4: {
                Address to = kBase + random() % 2000;
                side_copy_range(to, a, bytes);
                if (to != a) model_copy(model, to, a, bytes);
                break;
            }
            default: {
                SideEntry* entry = side_find(a);
                ASSERT_EQ(entry != nullptr, model.count(a >> 3) == 1);
            }
        }
        if (round % 16 == 0) compare(model);
        if (testing::Test::HasFatalFailure()) return;
    }
    side_forget_range(kBase - 64, 4000);
    EXPECT_TRUE(side_empty());
}

// An aligned copy copies the origins; the source keeps its own.
TEST(SideTable, OriginsTravel) {
    for (unsigned i = 0; i < 100; ++i) side_make(kBase + 8 * i).store(0, 0xff, static_cast<ContextId>(i + 1));
    side_copy_range(kBase + 4096, kBase, 800);
    side_copy_range(kBase + 16, kBase, 800);  // overlapping
    for (unsigned i = 0; i < 100; ++i) {
        EXPECT_EQ(side_find(kBase + 4096 + 8 * i)->origin(0), static_cast<ContextId>(i + 1));
        EXPECT_EQ(side_find(kBase + 16 + 8 * i)->origin(0), static_cast<ContextId>(i + 1));
    }
    side_forget_range(0, ~usize{0} >> 1);  // much larger than the table
    EXPECT_EQ(side_count(), 0u);
    EXPECT_EQ(side_find(kBase), nullptr);
}

}  // namespace
}  // namespace memspy::shadow
