// SPDX-License-Identifier: GPL-2.0-or-later
//
// Proves that what a process did to lines of shared memory is what a plain model of random mappings and accesses says:
// whatever the addresses are at which parts of files are mapped, replaced and unmapped, and for accesses across lines;
// that lines side by side are joined only if they are used equally; and that a child's uses begin anew.
#include <gtest/gtest.h>

#include <map>
#include <random>
#include <vector>

#include "analyses/shared_memory/line_uses.h"
#include "analyses/shared_memory/mapped_files.h"

using namespace memspy;
using namespace memspy::shared_memory;

namespace {

constexpr u64 kPage = 4096;
constexpr Address kBase = 0x1000'0000;
constexpr u64 kPages = 64;

using LineKey = std::tuple<u32, u64, u32>;  // file, line, site
using Model = std::map<LineKey, SharedUse>;

void add(Model& model, u32 file, u32 site, u64 offset, u64 bytes, bool loads, bool stores) {
    for (u64 i = 0; i < bytes; ++i) {
        SharedUse& use = model[{file, (offset + i) / kLineBytes, site}];
        const u64 bit = u64{1} << (offset + i) % kLineBytes;
        const bool first = i == 0 || (offset + i) % kLineBytes == 0;
        use.loads += loads && first;
        use.stores += stores && first;
        if (loads) use.loaded |= bit;
        if (stores) use.stored |= bit;
    }
}

Model model_of(LineUses& uses) {
    rt::Vector<LineStretch> stretches;
    uses.stretches(stretches);
    Model model;
    for (const LineStretch& each : stretches)
        for (u64 i = 0; i < each.lines; ++i) model[{each.file, each.line + i, each.site}] = each.use;
    return model;
}

}  // namespace

TEST(SharedLines, MappingsLeadToPlacesOfFiles) {
    std::mt19937 random(1);
    MappedFiles files;
    std::vector<std::pair<u64, u64>> pages(kPages);  // inode, 0: none; and the offset
    for (int step = 0; step < 3000; ++step) {
        const u64 first = random() % kPages, count = random() % (kPages - first) + 1;
        const Address at = kBase + first * kPage;
        if (random() % 3 == 0) {
            files.unmap(at, count * kPage);
            for (u64 i = first; i < first + count; ++i) pages[i] = {};
        } else {
            const u64 inode = random() % 4 + 1, offset = random() % 8 * kPage;
            files.map(at, count * kPage, offset, {.identity = {.device = 5, .inode = inode}});
            for (u64 i = 0; i < count; ++i) pages[first + i] = {inode, offset + i * kPage};
        }
        for (int look = 0; look < 20; ++look) {
            const Address a = kBase + random() % (kPages * kPage);
            const auto [inode, offset] = pages[(a - kBase) / kPage];
            MappedFiles::FilePlace place;
            ASSERT_EQ(files.find(a, place), inode != 0);
            if (inode == 0) continue;
            EXPECT_EQ(files.files()[place.file].identity.inode, inode);
            EXPECT_EQ(place.offset, offset + a % kPage);
            EXPECT_NE(files.leaves()[a >> kLeafBits], nullptr);
        }
    }
    EXPECT_EQ(files.files().size(), 4u);
    files.unmap(kBase, kPages * kPage);
    EXPECT_TRUE(files.empty());
    for (u64 page = 0; page < kPages; ++page)
        EXPECT_EQ(files.leaves()[(kBase + page * kPage) >> kLeafBits], nullptr);
}

TEST(SharedLines, UsesAreThoseOfAPlainModel) {
    std::mt19937 random(2);
    LineUses uses;
    Model model;
    for (int step = 0; step < 100'000; ++step) {
        const auto file = static_cast<u32>(random() % 3);
        const Address instruction = 0x400000 + random() % 5 * 4, stack = 0x7000 + random() % 2 * 16;
        const u32 site = uses.site(instruction, stack, [&] { return static_cast<ContextId>(instruction + stack); });
        EXPECT_EQ(static_cast<u64>(uses.stack(site)), instruction + stack);
        const u64 offset = random() % 4000, bytes = random() % 4 == 0 ? random() % 200 + 1 : 8;
        const bool stores = random() % 2 != 0, loads = !stores || random() % 2 != 0;
        uses.add(file, site, offset, bytes, loads, stores);
        add(model, file, site, offset, bytes, loads, stores);
    }
    EXPECT_EQ(model_of(uses), model);
    uses.clear();
    EXPECT_TRUE(model_of(uses).empty());
}

TEST(SharedLines, ASweepIsOneElement) {
    LineUses uses;
    const auto site = [&](Address instruction) { return uses.site(instruction, 0, [] { return ContextId{1}; }); };
    for (u64 offset = 0; offset < 1 << 20; offset += 8) uses.add(0, site(0x400000), offset, 8, false, true);
    uses.add(0, site(0x400004), 640, 8, true, false);
    rt::Vector<LineStretch> stretches;
    uses.stretches(stretches);
    ASSERT_EQ(stretches.size(), 2u);
    EXPECT_EQ(stretches[0].lines, (1u << 20) / kLineBytes);
    EXPECT_EQ(stretches[0].use.stores, 8u);
    EXPECT_EQ(stretches[1].line, 10u);
    // One line that is used more often stands alone.
    uses.add(0, site(0x400000), 128, 8, false, true);
    uses.stretches(stretches);
    EXPECT_EQ(stretches.size(), 4u);
}

// Sites beyond the limit are one, and change no line of others.
TEST(SharedLines, ManySites) {
    LineUses uses;
    constexpr u32 kSites = LineUses::kMostSites + 500;
    for (u32 i = 0; i < kSites; ++i) {
        const u32 site = uses.site(0x400000 + 4 * i, 0, [] { return ContextId{1}; });
        EXPECT_LT(site, LineUses::kMostSites);
        uses.add(0, site, 64 * (i % 7), 8, false, true);
    }
    u64 stores = 0;
    for (const auto& [key, use] : model_of(uses)) {
        EXPECT_LT(std::get<1>(key), 7u);
        stores += use.stores;
    }
    EXPECT_EQ(stores, kSites);
}
