// SPDX-License-Identifier: GPL-2.0-or-later
//
// Proves that the heap profile's rows have the figures of a plain model that looks at every block at each event, for
// random events: totals, the peak and each row's share of it, lifetimes, temporary blocks, reallocs; and that
// the timeline has what lived at its moments, and the bytes of blocks what was done to them.
#include "analyses/heap_profile/heap_rows.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>
#include <vector>

#include "analyses/heap_profile/timeline.h"

using namespace memspy;
using namespace memspy::heap_profile;

namespace {

constexpr u64 kTemporary = 50;

struct ModelBlock {
    u32 context;
    u64 size, born;
};
struct ModelRow {
    u64 blocks = 0, bytes = 0, max = 0, temporary = 0, lifetimes = 0, resized = 0, copied = 0, peak = 0;
};

struct Model {
    std::map<u64, ModelBlock> live;
    std::map<u32, ModelRow> rows;
    u64 peak = 0, peak_time = 0;
    std::vector<std::pair<u64, u64>> history;  // time, live bytes from then on

    u64 live_of(u32 context) const {
        u64 sum = 0;
        for (const auto& [at, block] : live) sum += block.context == context ? block.size : 0;
        return sum;
    }
    u64 all() const {
        u64 sum = 0;
        for (const auto& [at, block] : live) sum += block.size;
        return sum;
    }
    void look(u64 now, bool grew) {
        for (auto& [context, row] : rows) row.max = std::max(row.max, live_of(context));
        history.push_back({now, all()});
        if (!grew || all() < peak) return;
        peak = all();
        peak_time = now;
        for (auto& [context, row] : rows) row.peak = live_of(context);
    }
};

void compare(HeapRows& rows, Model& model, u64 now) {
    rows.settle(now);
    rt::Vector<HeapRow> copies;
    rows.copy_rows(copies, now);
    EXPECT_EQ(rows.total().live_bytes, model.all());
    EXPECT_EQ(rows.total().live_blocks, model.live.size());
    EXPECT_EQ(rows.total().peak_bytes, model.peak);
    EXPECT_EQ(rows.total().peak_time, model.peak_time);
    EXPECT_EQ(copies.size(), model.rows.size());
    for (const HeapRow& row : copies) {
        const u32 context = static_cast<u32>(row.context);
        const ModelRow& wanted = model.rows.at(context);
        u64 lifetimes = wanted.lifetimes;
        for (const auto& [at, block] : model.live)
            if (block.context == context) lifetimes += now - block.born;
        EXPECT_EQ(row.blocks, wanted.blocks);
        EXPECT_EQ(row.bytes, wanted.bytes);
        EXPECT_EQ(row.live_bytes, model.live_of(context));
        EXPECT_EQ(row.max_bytes, wanted.max);
        EXPECT_EQ(row.peak_bytes, wanted.peak);
        EXPECT_EQ(row.temporary, wanted.temporary);
        EXPECT_EQ(row.lifetimes, lifetimes);
        EXPECT_EQ(row.resized, wanted.resized);
        EXPECT_EQ(row.copied, wanted.copied);
    }
}

void random_events(u32 seed) {
    std::mt19937 random(seed);
    HeapRows rows(kTemporary);
    HeapTimeline timeline;
    Model model;
    u64 now = 0, next = 16;
    for (int step = 0; step < 2000; ++step) {
        now += random() % 40'000;
        timeline.advance(now, rows, 0);
        const u32 what = static_cast<u32>(random() % 100);
        auto block = model.live.begin();
        if (!model.live.empty()) std::advance(block, random() % model.live.size());
        // Rises and falls, so that there are many peaks.
        const u32 births = (step / 300) % 2 == 0 ? 60 : 35;
        if (what < births || model.live.empty()) {
            const u32 context = static_cast<u32>(4 * (1 + random() % 20));
            const u64 size = random() % 4 * (random() % 50);
            rows.allocated(next, size, static_cast<ContextId>(context), false, now);
            model.live[next] = {context, size, now};
            ++model.rows[context].blocks;
            model.rows[context].bytes += size;
            next += 16;
            model.look(now, true);
        } else if (what < births + 10) {
            const u64 size = random() % 300, at = block->first;
            ModelBlock moved = block->second;
            ModelRow& row = model.rows[moved.context];
            rows.resized(at, next, size, now);
            ++row.blocks;
            ++row.resized;
            row.bytes += size;
            row.copied += std::min(size, moved.size);
            const bool grew = size >= moved.size;
            moved.size = size;
            model.live.erase(block);
            model.live[next] = moved;
            next += 16;
            model.look(now, grew);
        } else {
            ModelRow& row = model.rows[block->second.context];
            const u64 age = now - block->second.born;
            row.lifetimes += age;
            row.temporary += age < kTemporary ? 1 : 0;
            rows.released(block->first, false, {}, now);
            model.live.erase(block);
            model.look(now, false);
        }
        if (step % 500 == 499) compare(rows, model, now);
    }
    compare(rows, model, now);
    EXPECT_TRUE(timeline.size() > HeapTimeline::kMost / 2 - 1 && timeline.size() <= HeapTimeline::kMost);
    for (u32 i = 0; i < timeline.size(); ++i) {
        u64 wanted = 0, sum = 0;
        for (const auto& [time, bytes] : model.history)
            if (time < timeline[i].time) wanted = bytes;
        EXPECT_EQ(timeline[i].bytes, wanted);
        for (const u64 bytes : timeline[i].rows) sum += bytes;
        EXPECT_EQ(sum, wanted);
        if (i > 1) {
            EXPECT_EQ(timeline[i].time - timeline[i - 1].time, timeline[1].time - timeline[0].time);
        }
    }
}

TEST(HeapRows, CustomBlocksAreInNoTotal) {
    HeapRows rows(kTemporary);
    rows.allocated(64, 100, ContextId{4}, false, 1);
    rows.allocated(64, 40, ContextId{8}, true, 2);  // in the first one, at its start
    rows.released(64, true, {}, 3);
    rows.settle(4);
    EXPECT_EQ(rows.total().bytes, 100u);
    EXPECT_EQ(rows.total().live_bytes, 100u);
    EXPECT_EQ(rows.rows().size(), 2u);
    EXPECT_EQ(rows.rows()[1].bytes, 40u);
    EXPECT_EQ(rows.rows()[1].live_bytes, 0u);
}

// A larger block takes the place of the one that is freed next; not so one of another row, nor one behind another event.
TEST(HeapRows, GrowthWithoutRealloc) {
    HeapRows rows(kTemporary);
    rows.allocated(64, 100, ContextId{4}, false, 1);
    rows.allocated(256, 200, ContextId{4}, false, 2);
    rows.released(64, false, {}, 3);
    EXPECT_EQ(rows.rows()[0].grown, 1u);
    EXPECT_EQ(rows.rows()[0].grown_bytes, 100u);
    rows.allocated(512, 400, ContextId{8}, false, 4);
    rows.released(256, false, {}, 5);
    rows.allocated(1024, 800, ContextId{8}, false, 6);
    rows.allocated(2048, 10, ContextId{4}, false, 7);
    rows.released(512, false, {}, 8);
    EXPECT_EQ(rows.rows()[0].grown, 1u);
    EXPECT_EQ(rows.rows()[1].grown, 0u);
}

TEST(HeapRows, AsAPlainModel) {
    for (u32 seed = 1; seed <= 3; ++seed) random_events(seed);
}

}  // namespace
