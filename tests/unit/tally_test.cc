// SPDX-License-Identifier: GPL-2.0-or-later
//
// The tally adds up: every charged event and access is found again by thread, line, place, pair and in total.
#include "sharing/tally.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>
#include <tuple>
#include <utility>
#include <vector>

#include "contention_source.h"

namespace memspy::sharing {

using namespace lines;
namespace {

constexpr Place kPlace{0x1000, threads::CallPath{7}};
constexpr ObjectId kObject{3};

template <typename Each, typename RowType>
std::vector<RowType> collect(Each each) {
    std::vector<RowType> rows;
    each([](const RowType& row, void* all) { static_cast<std::vector<RowType>*>(all)->push_back(row); },
         &rows);
    return rows;
}
std::vector<SharingRow> rows() { return collect<decltype(&for_each_row), SharingRow>(for_each_row); }
std::vector<PairRow> pairs() { return collect<decltype(&for_each_pair), PairRow>(for_each_pair); }
std::vector<ThreadRow> thread_rows() {
    return collect<decltype(&for_each_thread), ThreadRow>(for_each_thread);
}

class Tally : public testing::Test {
protected:
    void SetUp() override {
        reset();
        for (u32 i = 0; i < 8; ++i) know_thread(thread(i), i == 0 ? 0 : 1, i + 1);
    }
};

// One event of each kind lands in the right counter of each row, under its own view.
TEST_F(Tally, EachEventInItsCounter) {
    LineTally* line = make_line_tally(100);
    Events cold;
    cold.cold = true;
    Events first;
    first.first_touch = first.true_miss = true;
    first.from = 1;
    Events both;
    both.coherence = both.invalidation = both.true_invalidation = true;
    both.from = 1;
    both.victim = 3;
    Thread t = thread(1);
    for (const Events& events : {cold, first, both, both})
        charge(View::Modelled, *line, t, kObject, kPlace, events);
    charge(View::Observed, *line, t, kObject, kPlace, cold);

    CoherenceCounts expected;
    expected.cold = expected.first_touches = expected.true_misses = 1;
    expected.coherence_misses = expected.false_misses = expected.invalidations = expected.true_invalidations =
        2;
    CoherenceCounts observed;
    observed.cold = 1;
    auto all = rows();
    ASSERT_EQ(all.size(), 1u);
    const LineRow* line_row = find_line(100);
    ASSERT_NE(line_row, nullptr);
    const ThreadRow& of_thread = thread_row(t);
    for (const CoherenceCounts* counts : {std::as_const(all[0]).counts, line_row->counts, of_thread.counts}) {
        EXPECT_EQ(counts[static_cast<u32>(View::Modelled)], expected);
        EXPECT_EQ(counts[static_cast<u32>(View::Observed)], observed);
    }
    EXPECT_EQ(total(View::Modelled), expected);
    EXPECT_EQ(total(View::Observed), observed);
    EXPECT_EQ(expected.events(), 5u);
    EXPECT_EQ(expected.true_events() + expected.false_events(), 5u);

    std::map<u32, PairRow> by_other;
    for (const PairRow& pair : pairs()) {
        EXPECT_EQ(pair.object, kObject);
        EXPECT_EQ(pair.thread, t.serial);
        by_other[pair.other] = pair;
    }
    ASSERT_EQ(by_other.size(), 2u);
    EXPECT_EQ(by_other[1].events[1], 3u);
    EXPECT_EQ(by_other[1].false_events[1], 2u);
    EXPECT_EQ(by_other[3].events[1], 2u);
    EXPECT_EQ(by_other[3].false_events[1], 0u);
    EXPECT_EQ(by_other[1].events[0] + by_other[3].events[0], 0u);
}

// Accesses to the same bytes of a line are one range for each thread, in ascending order; an update is a
// load and a store.
TEST_F(Tally, Ranges) {
    LineTally* line = make_line_tally(200);
    for (const Step& step :
         {load(thread(2), 8), store(thread(1), 8), load(thread(1), 8), update(thread(1), 8),
          load(thread(1), 8, 4), load(thread(1), 0), load(thread(2), 8)})
        count_access(*line, step.thread, kObject, kPlace, step.access);
    const auto& ranges = *find_line(200)->ranges;
    std::vector<std::tuple<u32, u32, u32, u64, u64>> got;
    for (const RangeRow& range : ranges)
        got.emplace_back(range.thread, range.first, range.bytes, range.accesses.loads, range.accesses.stores);
    std::vector<std::tuple<u32, u32, u32, u64, u64>> expected = {
        {2, 0, 8, 1, 0}, {2, 8, 4, 1, 0}, {2, 8, 8, 2, 2}, {3, 8, 8, 2, 0}};
    EXPECT_EQ(got, expected);
    for (const RangeRow& range : ranges)
        EXPECT_EQ(range.stored_first, range.thread == 2 && range.first == 8 && range.bytes == 8);
    EXPECT_EQ(find_line(201), nullptr);
}

// Threads that load all bytes of a line one by one get a range for eight of them where there would be too many ranges. No
// load is lost, bytes that were stored to keep their own range, and eight of which one was never loaded alone stay apart.
TEST_F(Tally, LoadsOfSingleBytesArePutTogether) {
    constexpr u32 kThreads = 4, kRounds = 3, kStored = 21, kMissing = 42;
    LineTally* line = make_line_tally(210);
    for (u32 round = 0; round < kRounds; ++round)
        for (u32 t = 1; t <= kThreads; ++t)
            for (u32 byte = 0; byte < 64; ++byte) {
                if (byte == kStored)
                    count_access(*line, thread(t), kObject, kPlace, access(byte, 1, false, true));
                if (byte != kMissing)
                    count_access(*line, thread(t), kObject, kPlace, access(byte, 1, true, false));
            }
    u64 loads = 0, stores = 0;
    u32 single = 0, groups = 0;
    for (const RangeRow& range : *find_line(210)->ranges) {
        loads += range.accesses.loads;
        stores += range.accesses.stores;
        const bool apart = range.first / 8 == kStored / 8 || range.first / 8 == kMissing / 8;
        EXPECT_TRUE(range.bytes == 1 || (range.bytes == 8 && !apart)) << range.first;
        EXPECT_EQ(range.accesses.stores, range.first == kStored ? kRounds : 0u);
        EXPECT_EQ(range.stored_first, range.first == kStored);
        EXPECT_EQ(range.accesses.loads, u64{kRounds} * range.bytes) << range.first;
        ++(range.bytes == 8 ? groups : single);
    }
    EXPECT_EQ(loads, kThreads * kRounds * 63u);
    EXPECT_EQ(stores, kThreads * kRounds * 1u);
    EXPECT_EQ(single + groups * 8, kThreads * 63u);
    EXPECT_LT(single + groups, kThreads * 63u / 2);
}

// Whether many accesses that are counted at once add is not known if they store; loads alone do not.
TEST_F(Tally, Sums) {
    LineTally* line = make_line_tally(220);
    LineAccess adds = access(0, 8, true, true);
    adds.sum = log::SumKind::Adds;
    const auto sums_of = [&](u32 t, u32 plain_loads, const AccessCounts& at_once) {
        for (u32 i = 0; i < plain_loads; ++i)
            count_access(*line, thread(t), kObject, kPlace, access(0, 8, true, false));
        count_accesses(*line, thread(t), kObject, access(0, 8, false, false), at_once);
        for (u32 i = 0; i < 5; ++i) count_access(*line, thread(t), kObject, kPlace, adds);
        for (const RangeRow& range : *find_line(220)->ranges)
            if (range.thread == thread(t).serial) return std::pair{range.sums.loads, range.sums.stores};
        return std::pair{u64{0}, u64{0}};
    };
    EXPECT_EQ(sums_of(1, 0, {1000, 1000}), (std::pair<u64, u64>{1005, 1005}));
    EXPECT_EQ(sums_of(2, 10, {0, 0}), (std::pair<u64, u64>{5, 5}));
    EXPECT_EQ(sums_of(3, 0, {1000, 0}), (std::pair<u64, u64>{5, 5}));
    // A load and a store.
    for (u32 i = 0; i < 3; ++i) {
        count_access(*line, thread(4), kObject, kPlace, access(0, 8, true, false));
        LineAccess stores = access(0, 8, false, true);
        stores.sum = log::SumKind::Adds;
        count_access(*line, thread(4), kObject, kPlace, stores);
    }
    EXPECT_EQ(sums_of(4, 0, {0, 0}), (std::pair<u64, u64>{8, 8}));
}

// Counts of any size, with sums among them from before and behind the first one that is known, for threads of any number.
TEST_F(Tally, RangesAgainstMaps) {
    constexpr u32 kThreads = 7, kSteps = 60'000;
    struct Expected {
        u64 loads = 0, stores = 0, sum_stores = 0;
        bool has_sums = false, may_be = false;
    };
    std::mt19937_64 random(5);
    LineTally* line = make_line_tally(230);
    std::map<std::tuple<u32, u32, u32>, Expected> expected;
    for (u32 step = 0; step < kSteps; ++step) {
        const u32 t = static_cast<u32>(random() % kThreads), first = static_cast<u32>(random() % 5 * 8);
        Expected& known = expected[{thread(t).serial, first, 8}];
        // The higher, the more accesses: some counts stay small, others need more bits than a range has.
        if (random() % 50 >= first) continue;
        if (random() % 10 == 0) {
            const AccessCounts many{random() % 100'000, first < 16 ? 0 : random() % 100'000};
            count_accesses(*line, thread(t), kObject, access(first, 8, false, false), many);
            known.loads += many.loads;
            known.stores += many.stores;
            if (many.stores != 0) known.may_be = true;
            if (known.has_sums) known.sum_stores += many.stores;
            continue;
        }
        LineAccess one = access(first, 8, false, true);
        const bool sum = t % 2 == 1 && step > kSteps / 2;
        if (sum) {
            one.sum = log::SumKind::Adds;
            if (!known.has_sums && known.may_be) known.sum_stores = known.stores;
            known.has_sums = true;
            ++known.sum_stores;
        }
        ++known.stores;
        count_access(*line, thread(t), kObject, kPlace, one);
    }
    u32 found = 0;
    for (const RangeRow& range : *find_line(230)->ranges) {
        const Expected& known = expected[{range.thread, range.first, range.bytes}];
        EXPECT_EQ(range.accesses.loads, known.loads);
        EXPECT_EQ(range.accesses.stores, known.stores);
        EXPECT_EQ(range.sums.stores, known.sum_stores);
        ++found;
    }
    EXPECT_GT(found, kThreads * 3);
}

// The ranges of threads that are summed up become one, with counts of any size.
TEST_F(Tally, RangesOfManyThreadsSummedUp) {
    constexpr u32 kThreads = 400, kLoads = 3000;
    LineTally* line = make_line_tally(240);
    for (u32 i = 100; i < 100 + kThreads; ++i) {
        know_thread(thread(i), 1, 5);
        count_accesses(*line, thread(i), kObject, access(8, 4, false, false), {kLoads, 0});
        LineAccess adds = access(16, 4, true, true);
        adds.sum = log::SumKind::Adds;
        count_access(*line, thread(i), kObject, kPlace, adds);
        find_line(240);  // what is still on its way counts as the thread's
        sum_up(thread(i).serial);
    }
    const auto& ranges = *find_line(240)->ranges;
    ASSERT_EQ(ranges.size(), 2u);
    EXPECT_EQ(ranges[0].accesses.loads, u64{kThreads} * kLoads);
    EXPECT_EQ(ranges[0].sums.loads, 0u);
    EXPECT_EQ(ranges[1].sums.loads, kThreads);
    EXPECT_EQ(ranges[1].sums.stores, kThreads);
}

// Lines come in ascending order, and asking twice for a line's tally gives the same one.
TEST_F(Tally, Lines) {
    for (u64 line : {900, 5, 77, 300}) EXPECT_EQ(make_line_tally(line), make_line_tally(line));
    std::vector<u64> lines;
    for_each_line(
        [](const LineRow& row, void* all) { static_cast<std::vector<u64>*>(all)->push_back(row.line); },
        &lines);
    EXPECT_GE(lines.size(), 4u);
    EXPECT_TRUE(std::is_sorted(lines.begin(), lines.end()));
}

// Threads come in ascending order with the counts added to their rows; totals are over all of them.
TEST_F(Tally, Threads) {
    thread_row(thread(2)).accesses = {10, 5};
    thread_row(thread(2)).instructions = 40;
    thread_row(thread(0)).accesses.loads += 1;
    EXPECT_EQ(total_accesses().loads, 11u);
    EXPECT_EQ(total_accesses().stores, 5u);
    auto all = thread_rows();
    ASSERT_GE(all.size(), 8u);
    for (usize i = 1; i < all.size(); ++i) EXPECT_LT(all[i - 1].serial, all[i].serial);
    EXPECT_EQ(all[2].instructions, 40u);
    EXPECT_EQ(all[2].parent, 1u);
    EXPECT_EQ(all[2].guest_id, 3u);
}

// A slot that a new thread gets does not give it the old one's counts.
TEST_F(Tally, SlotsTakenOver) {
    LineTally* line = make_line_tally(1);
    know_thread({1, 50}, 1, 2);
    Events events;
    events.cold = true;
    for (Thread t : {thread(1), Thread{1, 50}, Thread{1, 50}}) {
        count_access(*line, t, kObject, kPlace, access(0, 8, true, false));
        charge(View::Modelled, *line, t, kObject, kPlace, events);
    }
    EXPECT_EQ(thread_row({1, 2}).counts[1].cold, 1u);
    EXPECT_EQ(thread_row({1, 50}).counts[1].cold, 2u);
    std::map<u32, u64> loads;
    for (const SharingRow& row : rows()) loads[row.thread] += row.accesses.loads;
    EXPECT_EQ(loads, (std::map<u32, u64>{{2, 1}, {50, 2}}));
}

// Random charges, many more places than a thread's cache holds, against plain maps.
// Of threads that are summed up there are only sums, as thread 0; nothing is lost, and later charges go there, too.
TEST_F(Tally, SummedUp) {
    LineTally* line = make_line_tally(100);
    for (u32 i = 21; i < 24; ++i) know_thread(thread(i), 1, i + 1);
    const usize known = thread_rows().size();
    Events miss;
    miss.coherence = true;
    LineAccess access;
    access.first = 4;
    access.bytes = 4;
    access.stores = true;
    const auto act = [&](u32 i, u32 from) {
        miss.from = from;
        charge(View::Modelled, *line, thread(i), kObject, kPlace, miss);
        count_access(*line, thread(i), kObject, kPlace, access);
    };
    act(21, 1);
    act(22, thread(21).serial);
    act(23, thread(22).serial);
    thread_row(thread(22)).instructions += 7;
    for (u32 i : {21, 22, 22}) sum_up(thread(i).serial);
    EXPECT_EQ(find_thread(thread(22).serial), nullptr);
    act(22, thread(21).serial);
    EXPECT_EQ(total(View::Modelled).coherence_misses, 4u);
    std::map<u32, u64> by_thread;
    for (const SharingRow& row : rows())
        by_thread[row.thread] += row.accesses.stores + row.counts[1].coherence_misses;
    EXPECT_EQ(by_thread, (std::map<u32, u64>{{0, 6}, {thread(23).serial, 2}}));
    for (const PairRow& pair : pairs())
        EXPECT_TRUE(pair.other != thread(21).serial && pair.other != thread(22).serial);
    const std::vector<ThreadRow> threads = thread_rows();
    ASSERT_EQ(threads.size(), known - 1);
    EXPECT_EQ(threads[0].serial, 0u);
    EXPECT_EQ(threads[0].threads, 2u);
    EXPECT_EQ(threads[0].instructions, 7u);
    EXPECT_EQ(find_line(100)->ranges->size(), 2u);
}

TEST_F(Tally, AgainstMaps) {
    std::mt19937 random(1);
    auto pick = [&](u32 below) { return static_cast<u32>(random() % below); };
    using Key = std::tuple<u32, Address, u32, u32>;
    std::map<Key, std::pair<u64, u64>> accesses;
    std::map<Key, u64> invalidations;
    std::map<std::tuple<u32, u32, u32>, u64> pair_events;
    std::map<std::tuple<u64, u32, u32, u32>, u64> range_loads;
    for (u32 i = 0; i < 100'000; ++i) {
        u32 object = pick(12), other = 1 + pick(8);
        Place place{0x40'0000 + pick(30) * 4, threads::CallPath{pick(6)}};
        Thread t = thread(pick(8));
        u64 line_number = 1000 + pick(40);
        LineTally* line = make_line_tally(line_number);
        bool loads = pick(2) == 0;
        LineAccess a = access(pick(8) * 8, 1 + pick(8), loads, !loads || pick(4) == 0);
        count_access(*line, t, ObjectId{object}, place, a);
        Key key{object, place.instruction, static_cast<u32>(place.path), t.serial};
        accesses[key].first += a.loads;
        accesses[key].second += a.stores;
        if (a.loads) ++range_loads[{line_number, t.serial, a.first, a.bytes}];
        if (pick(2) == 0) continue;
        Events events;
        events.invalidation = true;
        events.victim = other;
        charge(View::Observed, *line, t, ObjectId{object}, place, events);
        ++invalidations[key];
        ++pair_events[{object, t.serial, other}];
    }
    auto got = rows();
    EXPECT_EQ(got.size(), accesses.size());
    for (const SharingRow& row : got) {
        Key key{static_cast<u32>(row.object), row.place.instruction, static_cast<u32>(row.place.path),
                row.thread};
        EXPECT_EQ(row.accesses.loads, accesses[key].first);
        EXPECT_EQ(row.accesses.stores, accesses[key].second);
        EXPECT_EQ(row.counts[0].invalidations, invalidations[key]);
        EXPECT_EQ(row.counts[0].false_invalidations, invalidations[key]);
    }
    auto got_pairs = pairs();
    EXPECT_EQ(got_pairs.size(), pair_events.size());
    for (const PairRow& row : got_pairs)
        EXPECT_EQ(row.events[0], (pair_events[{static_cast<u32>(row.object), row.thread, row.other}]));
    for (u64 line = 1000; line < 1040; ++line)
        for (const RangeRow& range : *find_line(line)->ranges)
            EXPECT_EQ(range.accesses.loads, (range_loads[{line, range.thread, range.first, range.bytes}]));
}

// After a reset everything is zero, and counting continues from there.
TEST_F(Tally, Reset) {
    LineTally* line = make_line_tally(1);
    Events events;
    events.cold = true;
    auto once = [&] {
        count_access(*line, thread(0), kObject, kPlace, access(0, 8, true, false));
        charge(View::Observed, *line, thread(0), kObject, kPlace, events);
    };
    once();
    reset();
    EXPECT_TRUE(rows().empty() && pairs().empty() && find_line(1)->ranges->empty());
    EXPECT_EQ(total(View::Observed), CoherenceCounts{});
    once();
    EXPECT_EQ(total(View::Observed).cold, 1u);
    EXPECT_EQ(rows().at(0).accesses.loads, 1u);
}

// A forked child has one thread: the others are known no more, and what is left of them on lines counts for nobody.
TEST_F(Tally, Restart) {
    LineTally* line = make_line_tally(1);
    for (u32 t = 0; t < 3; ++t) count_access(*line, thread(t), kObject, kPlace, access(0, 8, true, false));
    restart(thread(1).serial);
    ASSERT_EQ(thread_rows().size(), 1u);
    EXPECT_EQ(thread_rows()[0].serial, thread(1).serial);
    EXPECT_TRUE(rows().empty());
    count_access(*line, thread(1), kObject, kPlace, access(0, 8, true, false));
    ASSERT_EQ(rows().size(), 1u);
    EXPECT_EQ(rows()[0].thread, thread(1).serial);
    EXPECT_EQ(rows()[0].accesses.loads, 1u);
}

// One set of counters for all: totals are the same, no counts are by thread.
TEST_F(Tally, OneSetForAll) {
    set_per_thread(false);
    LineTally* line = make_line_tally(1);
    Events events;
    events.cold = true;
    for (u32 t = 0; t < 4; ++t) {
        count_access(*line, thread(t), kObject, kPlace, access(0, 8, true, false));
        charge(View::Observed, *line, thread(t), kObject, kPlace, events);
    }
    EXPECT_EQ(total(View::Observed).cold, 4u);
    ASSERT_EQ(rows().size(), 1u);
    EXPECT_EQ(rows()[0].accesses.loads, 4u);
    reset();
    EXPECT_EQ(total(View::Observed).cold, 0u);
    set_per_thread(true);
}

}  // namespace
}  // namespace memspy::sharing
