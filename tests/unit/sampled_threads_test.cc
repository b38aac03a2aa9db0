// SPDX-License-Identifier: GPL-2.0-or-later
//
// A sampled log of several threads has what its reader needs: slots of bursts are one of 2^stage, and those of a stage
// are slots of all stages before; each access stands for itself and those not counted, whether the records in between
// were written or not, but for one that the replay left out; lines are watched until they were accessed often enough or their memory is freed, and other lines
// that share the byte are not.
#include <gtest/gtest.h>

#include <map>
#include <random>
#include <vector>

#include "analyses/locality/burst_slots.h"
#include "analyses/locality/thread_samples.h"
#include "locality_streams.h"
#include "log/watched_lines.h"
#include "log_source.h"

namespace memspy::locality {
namespace {

using log::WatchedLines;
using log::WordSample;

TEST(BurstSlots, OneOfEachGroupIsChosenAndWasBefore) {
    for (u32 stage = 0; stage <= 8; ++stage)
        for (u64 group = 0; group < 300; ++group) {
            u32 chosen = 0;
            for (u64 slot = group << stage; slot < (group + 1) << stage; ++slot) {
                if (!BurstSlots::is_chosen(slot, stage)) continue;
                ++chosen;
                EXPECT_TRUE(stage == 0 || BurstSlots::is_chosen(slot, stage - 1)) << slot;
            }
            EXPECT_EQ(chosen, 1u) << "group " << group << " at stage " << stage;
        }
    // Not always the same of the group.
    std::map<u64, u32> places;
    for (u64 slot = 0; slot < 16 * 4000; ++slot)
        if (BurstSlots::is_chosen(slot, 4)) ++places[slot % 16];
    ASSERT_EQ(places.size(), 16u);
    for (const auto& [place, times] : places) EXPECT_NEAR(times, 250, 100) << place;
}

TEST(BurstSlots, TheNextChangeIsTheFirst) {
    for (u64 time = 100; time < 3'000'000; time += 7919) {
        const bool in_burst = BurstSlots::is_chosen(BurstSlots::slot_of(time), 3);
        const u64 change = time + BurstSlots::until_change(time, 3);
        EXPECT_NE(BurstSlots::is_chosen(BurstSlots::slot_of(change), 3), in_burst);
        for (u64 at = time; at < change; at += u64{1} << BurstSlots::kTimeBits)
            EXPECT_EQ(BurstSlots::is_chosen(BurstSlots::slot_of(at), 3), in_burst);
        EXPECT_EQ(BurstSlots::is_chosen(BurstSlots::slot_of(change - 1), 3), in_burst);
    }
}

// A thread of records of one to five accesses, most of which are not written.
TEST(ThreadSample, EachAccessIsStoodForOnce) {
    std::mt19937 random(3);
    std::vector<u64> chunk(1 << 18);
    ThreadSample sample(7);
    u64 counter = 1000, real = 0, passed = 0;
    sample.begin({.mask_now = 1, .counter = counter});
    u64* at = chunk.data();
    const u64* first = at;
    std::vector<const u64*> written;
    for (u32 i = 0; i < 40'000; ++i) {
        const u32 accesses = 1 + static_cast<u32>(random() % 5);
        real += accesses;
        if (random() % 8 == 0 || sample.before_count() < 64) {
            log::RecordBuilder record;
            for (u32 k = 0; k < accesses; ++k) record.load(0x1000 + 8 * k, 8);
            u64* const next = record.write(at);
            at[1] = u64{5} << WordSample::kAccessBits | counter;
            written.push_back(at);
            at = next;
        }
        counter += accesses;
        if (random() % 50 == 0) {
            at[1] = u64{5} << WordSample::kAccessBits | counter;
            passed += sample.read(first, at);
            at[1] = 0;
            first = at;
        }
    }
    at[1] = u64{5} << WordSample::kAccessBits | counter;
    passed += sample.read(first, at);
    u64 stood_for = 0, counted = 0, logged = 0;
    for (const u64* record : written) {
        const u32 accesses =
            log::quick_shape(reinterpret_cast<const log::Record*>(record)->shape).whole.word_accesses;
        logged += accesses;
        const auto of = sample.take_counted(record);
        if (of.record == nullptr) continue;
        EXPECT_LT(of.access, accesses);
        stood_for += of.stands_for;
        ++counted;
    }
    EXPECT_EQ(passed + logged, real);
    EXPECT_LE(stood_for, real + 64);
    EXPECT_GT(stood_for + 2 * 64, real);
    EXPECT_GT(counted, real / 64 / 2);
}

TEST(Streams, ThreadsThatComeToABurstOneAfterTheOtherAreSeen) {
    // Two threads walk through an array of their own, the second far behind. By count, and with bursts by time.
    const auto streams = make({.exact = false, .first_stage = 1 << 12, .stage = 1 << 17});
    streams->go_by_time();
    constexpr u64 kAccesses = 400'000, kBehind = 100'000;
    const auto access = [&](u32 thread, u64 i) {
        streams->begin_record(i, true);
        streams->count_access(0, 1);
        const Word word = thread * 0x1000000u + (thread == 1 ? i : i * 4) % 100'000;
        const WordAccess a{.word = word, .thread = thread, .object = thread, .function = 1, .line = 1};
        if (streams->wants(word)) streams->access(a);
        streams->advance(1);
        streams->end_record();
    };
    for (u64 i = 0; i < kAccesses + kBehind; ++i) {
        if (i < kAccesses) access(1, i);
        if (i >= kBehind) access(2, i - kBehind);
    }
    EXPECT_EQ(streams->accesses(), 2 * kAccesses);
    EXPECT_GE(streams->burst_stage(), 2u);
    const StreamFigures first = figures_of(*streams, StreamKind::Object, 1);
    const StreamFigures second = figures_of(*streams, StreamKind::Object, 2);
    EXPECT_NEAR(first.spatial, 1, .01);
    EXPECT_NEAR(second.spatial, .25, .01);
    EXPECT_NEAR(static_cast<double>(first.accesses), kAccesses, kAccesses / 100.0);
    EXPECT_NEAR(static_cast<double>(second.accesses), kAccesses, kAccesses / 100.0);
}

TEST(Streams, NothingStandsForAnAccessThatDoesNotCome) {
    const auto streams = make({.exact = false, .first_stage = 1, .stage = 1 << 17});
    streams->go_by_time();
    tell(*streams, {.word = 1, .thread = 1});
    streams->begin_record(0, false);
    streams->count_access(2, 50);
    streams->advance(1);
    EXPECT_EQ(streams->stands_for(), 0u);
    streams->end_record();
    streams->advance(3);
    EXPECT_EQ(streams->stands_for(), 0u);
    streams->count_access(2, 50);
    streams->advance(2);
    EXPECT_EQ(streams->stands_for(), 50u);
    streams->end_record();
    EXPECT_EQ(streams->stands_for(), 0u);
}

TEST(WatchedLines, AreWatchedUntilAccessedOftenEnough) {
    WatchedLines lines;
    constexpr Address kFar = Address{1} << (WatchedLines::kLineBits + WatchedLines::kSlotBits);
    const Address a = 0x1234540;
    lines.watch(a + 8, 3);
    lines.watch(a + 16, 2);
    EXPECT_TRUE(lines.is_watched(a));
    EXPECT_FALSE(lines.is_watched(a - 1));
    EXPECT_FALSE(lines.is_watched(a + 64));
    EXPECT_FALSE(lines.is_watched(a + kFar));
    EXPECT_EQ(lines.slots()[WatchedLines::slot_of(a)], WatchedLines::kWatched);
    lines.accessed(a + kFar);
    lines.accessed(a);
    lines.accessed(a + 63);
    EXPECT_TRUE(lines.is_watched(a));
    lines.accessed(a);
    EXPECT_FALSE(lines.is_watched(a));
    EXPECT_EQ(lines.slots()[WatchedLines::slot_of(a)], 0);

    lines.watch(a, WatchedLines::kForGood);
    lines.watch(a + kFar, 1);
    for (u32 i = 0; i < 100'000; ++i) lines.accessed(a);
    lines.accessed(a + kFar);
    EXPECT_TRUE(lines.is_watched(a));
    EXPECT_FALSE(lines.is_watched(a + kFar));
    EXPECT_EQ(lines.slots()[WatchedLines::slot_of(a)], WatchedLines::kWatched);
    lines.forget(a - 64, a);
    EXPECT_TRUE(lines.is_watched(a));
    lines.forget(a + 60, a + 61);
    EXPECT_FALSE(lines.is_watched(a));
    lines.watch(a, 9);
    lines.forget(0, ~Address{0} >> 17);
    EXPECT_FALSE(lines.is_watched(a));
    EXPECT_EQ(lines.slots()[WatchedLines::slot_of(a)], 0);
}

}  // namespace
}  // namespace memspy::locality
