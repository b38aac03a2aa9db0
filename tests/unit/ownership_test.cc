// SPDX-License-Identifier: GPL-2.0-or-later
//
// Each rule of the ownership of a line, and each case with known counts, as a literal list of accesses.
#include "lines/ownership.h"

#include <gtest/gtest.h>

#include <cstring>
#include <set>
#include <vector>

#include "contention_source.h"

namespace memspy::sharing {

using namespace lines;
namespace {

const Thread A = thread(0), B = thread(1), C = thread(2);

// The events of the last of these accesses to a new line.
Events last_of(std::initializer_list<Step> steps) {
    TestLine line;
    Events events;
    for (const Step& step : steps) events = line(step);
    return events;
}

// The very first access is a cold miss, caused by no thread, and not sharing.
TEST(Ownership, FirstTouchOfALineIsCold) {
    for (Step step : {load(A, 0), store(A, 0), update(A, 0)}) {
        TestLine line;
        Events events = line(step);
        EXPECT_TRUE(events.cold);
        EXPECT_FALSE(events.first_touch || events.coherence || events.invalidation || events.true_miss);
        EXPECT_EQ(events.from, 0u);
        EXPECT_TRUE(line.held_by(A));
        EXPECT_FALSE(line(step).any()) << "the second time it is a hit";
    }
}

// B's neighbour byte comes between A and C, who take turns at one word: C's store takes the line from B alone, but without
// B it would take it from A.
TEST(Ownership, AFalseInvalidationMayHideATrueOne) {
    const Events events = last_of({store(A, 0), store(C, 0), store(A, 0), store(B, 32), store(C, 0)});
    EXPECT_TRUE(events.invalidation && !events.true_invalidation && events.hides_true_invalidation);
}

// A has taken the line from C already when B comes again, so without B it would still have it.
TEST(Ownership, AFalseInvalidationHidesNoneAfterTheFirst) {
    const Events events = last_of({store(A, 0), store(A, 8), store(C, 0), store(C, 8), store(B, 32),
                                   store(A, 0), store(B, 32), store(A, 8)});
    EXPECT_TRUE(events.invalidation && !events.true_invalidation && !events.hides_true_invalidation);
}

// A lock: C first looks at a word of it that nobody stores to. It would miss there, or at the next word, without B as well.
TEST(Ownership, AFalseMissMayHideATrueOne) {
    const Events events =
        last_of({load(C, 16), store(C, 0), load(A, 16), store(A, 0), store(B, 32), load(C, 16)});
    EXPECT_TRUE(events.coherence && !events.true_miss && events.hides_true_miss);
}

// Each thread has a word of its own.
TEST(Ownership, SeparateWordsHideNothing) {
    const Events events =
        last_of({store(A, 0), store(B, 8), store(C, 16), store(A, 0), store(B, 8), store(C, 16)});
    EXPECT_TRUE(events.invalidation && !events.true_invalidation && events.hide_true() == 0);
}

// A holder's accesses to any bytes of the line are hits while no other thread holds it.
TEST(Ownership, OwnerAloneHasNoEvents) {
    TestLine line;
    line(load(A, 0));
    for (u32 first = 0; first < 64; ++first)
        for (const Step& step : {load(A, first, 1), store(A, first, 1), update(A, first, 1)})
            EXPECT_FALSE(line(step).any());
}

// Thread B misses: by first touch, and by coherence after it lost the line. It holds the line each time.
TEST(Ownership, MissesAreToldApart) {
    TestLine line;
    line(store(A, 0));
    Events events = line(load(B, 0));
    EXPECT_TRUE(events.first_touch && !events.coherence && !events.cold && !events.invalidation);
    EXPECT_EQ(events.from, A.serial);
    EXPECT_TRUE(line.held_by(A) && line.held_by(B));
    line(store(A, 0));
    EXPECT_FALSE(line.held_by(B));
    events = line(load(B, 0));
    EXPECT_TRUE(events.coherence && !events.first_touch);
    EXPECT_TRUE(line.held_by(B));
}

// A line left by a thread that has had it once is handed over; it goes back and forth once that thread
// returns.
TEST(Ownership, HandedOverByWhoHadItOnce) {
    TestLine line;
    line({store(A, 0), load(B, 8), store(B, 8)});
    EXPECT_TRUE(line(load(A, 0)).handed_over);
    line(store(A, 0));
    Events events = line(store(B, 8));
    EXPECT_TRUE(events.coherence && !events.handed_over) << "from A, who has had it before";
    events = line(load(A, 0));
    EXPECT_TRUE(events.coherence && !events.handed_over) << "from B, who has come back";
    line(store(C, 16));
    EXPECT_TRUE(line(load(A, 0)).handed_over);
}

// A thread that keeps the line and takes others' copies away again and again hands over nothing.
TEST(Ownership, WhoStoresAgainAndAgainHandsOverNothing) {
    TestLine line;
    line({load(A, 0), store(B, 8)});
    EXPECT_TRUE(line(load(A, 0)).handed_over) << "its first store";
    line(store(B, 8));
    for (int i = 0; i < 3; ++i) {
        const Events events = line(load(A, 0));
        EXPECT_TRUE(events.coherence && !events.handed_over);
        EXPECT_EQ(events.from, B.serial);
        line(store(B, 8));
    }
}

// A store while others hold the line takes it from all; if the thread does not hold it, the store is a miss,
// too.
TEST(Ownership, StoreInvalidates) {
    TestLine line;
    line({load(A, 0), load(B, 0), load(C, 0)});
    Events events = line(store(A, 0));
    EXPECT_TRUE(events.invalidation && !events.first_touch && !events.coherence);
    EXPECT_EQ(events.victim, C.serial) << "the one that accessed last";
    EXPECT_TRUE(line.held_by(A) && !line.held_by(B) && !line.held_by(C));
    events = line(store(B, 0));
    EXPECT_TRUE(events.invalidation && events.coherence);
    EXPECT_EQ(events.victim, A.serial);
    EXPECT_EQ(events.from, A.serial);
}

// The victim is not the storer, even if the storer was the last to access the line.
TEST(Ownership, VictimIsAnother) {
    EXPECT_EQ(last_of({load(C, 0), load(B, 0), load(A, 0), load(A, 8), store(A, 0)}).victim, B.serial);
}

// An atomic increment by a thread without the line is one miss and one invalidation.
TEST(Ownership, UpdateLoadsThenStores) {
    TestLine line;
    line(update(A, 0));
    Events events = line(update(B, 0));
    EXPECT_TRUE(events.first_touch && events.invalidation && events.true_miss && events.true_invalidation);
}

// A miss is true sharing if another thread wrote one of its bytes since the thread last held the line:
// earlier writes do not count again.
TEST(Ownership, TrueMissLooksAtWritesSinceTheCopyWasLost) {
    TestLine line;
    line({store(A, 0), load(B, 0), store(A, 8)});
    EXPECT_FALSE(line(load(B, 0)).true_miss);
    line(store(A, 8));
    EXPECT_TRUE(line(load(B, 8)).true_miss);
    line({store(A, 16), store(A, 24)});
    EXPECT_TRUE(line(load(B, 24)).true_miss) << "written after the store that took the line";
}

// Writes by others count even if a third thread's invalidation came after them.
TEST(Ownership, TrueMissAcrossEpochs) {
    EXPECT_TRUE(last_of({load(A, 0), store(B, 0), store(C, 32), load(A, 0)}).true_miss);
    EXPECT_FALSE(last_of({load(A, 0), store(B, 0), store(C, 32), load(A, 8)}).true_miss);
}

// A first touch is true sharing if another thread ever wrote one of its bytes.
TEST(Ownership, FirstTouchCountsAllWrites) {
    TestLine line;
    line({store(A, 0), store(B, 8), store(A, 16)});
    EXPECT_TRUE(line(load(C, 8)).true_miss);
    EXPECT_FALSE(line(load(thread(3), 24)).true_miss);
    EXPECT_TRUE(line(load(thread(4), 7, 1)).true_miss);
}

// An invalidation is true sharing if another holder read or wrote one of its bytes since its copy became
// valid.
TEST(Ownership, TrueInvalidationLooksAtOtherHolders) {
    TestLine line;
    line({load(A, 0), load(B, 8)});
    EXPECT_FALSE(line(store(A, 0)).true_invalidation) << "only A itself used these bytes";
    line(load(B, 0));
    EXPECT_TRUE(line(store(A, 0)).true_invalidation);
    line({load(B, 8), load(B, 16)});
    EXPECT_TRUE(line(store(A, 16)).true_invalidation) << "its second access counts as well";
}

// A store that invalidates clears the readers and writers of all bytes; the stored bytes are then the
// storer's.
TEST(Ownership, InvalidationClearsTheBytes) {
    TestLine line;
    line({store(A, 0), load(B, 8), store(A, 16)});
    EXPECT_FALSE(line(store(B, 0)).true_invalidation)
        << "A's store of 0 is before its store that took the line";
    EXPECT_TRUE(line(store(A, 0)).true_invalidation) << "B's store itself counts";
}

// Two threads that used a byte are distinguished from one: A's own use does not hide B's.
TEST(Ownership, BytesUsedByBoth) {
    EXPECT_TRUE(last_of({load(A, 0), load(B, 0), store(A, 0)}).true_invalidation);
    EXPECT_TRUE(last_of({load(A, 0), load(B, 8), store(C, 0)}).true_invalidation)
        << "C holds nothing, A used it";
}

// A line handed over counts as all read and written by its thread.
TEST(Ownership, LineOfOneThread) {
    TestLine line(A);
    EXPECT_FALSE(line(store(A, 40)).any());
    Events events = line(store(B, 40));
    EXPECT_TRUE(events.first_touch && events.true_miss && events.invalidation && events.true_invalidation);
    EXPECT_EQ(events.from, A.serial);
    EXPECT_EQ(events.victim, A.serial);
    EXPECT_TRUE(line(load(A, 40)).true_miss);
    TestLine other(thread(100));
    EXPECT_FALSE(other(load(thread(100), 0)).any());
}

// Four threads that increment their own int in one line, with alternating accesses: two events for each
// increment, all of them false sharing. On lines of their own: no events.
TEST(Cases, OwnIntsInOneLine) {
    constexpr u32 kRounds = 100'000;
    TestLine line;
    for (u32 i = 0; i < kRounds; ++i)
        for (u32 t = 0; t < 4; ++t) line(update(thread(t), t * 4, 4));
    EXPECT_EQ(line.misses(), 4u * kRounds);
    EXPECT_EQ(line.counts.invalidations, 4u * kRounds - 1);
    EXPECT_EQ(line.counts.true_events(), 0u);

    TestLine own[4];
    for (u32 i = 0; i < kRounds; ++i)
        for (u32 t = 0; t < 4; ++t) own[t](update(thread(t), 0, 4));
    for (const TestLine& each : own) EXPECT_EQ(each.counts.events(), 0u);
}

// The same in the real order, one thread after the other: a handful of events.
TEST(Cases, OwnIntsOneAfterTheOther) {
    TestLine line;
    for (u32 t = 0; t < 4; ++t)
        for (u32 i = 0; i < 1000; ++i) line(update(thread(t), t * 4, 4));
    EXPECT_EQ(line.misses(), 4u);
    EXPECT_EQ(line.counts.invalidations, 3u);
}

// A read-mostly line: 4 threads read, one writes 100 times. Each write takes it from the three others.
TEST(Cases, ReadMostly) {
    TestLine line;
    for (u32 i = 0; i < 100; ++i) {
        line(store(A, 0));
        for (u32 n = 0; n < 50; ++n)
            for (u32 t = 0; t < 4; ++t) line(load(thread(t), 0));
    }
    EXPECT_EQ(line.counts.misses(), 300u);
    EXPECT_EQ(line.counts.invalidations, 99u);
    EXPECT_EQ(line.counts.true_events(), 399u);
}

// Four phases split by barriers, one writer in each.
TEST(Cases, Phases) {
    TestLine line;
    for (u32 phase = 0; phase < 4; ++phase)
        for (u32 i = 0; i < 1000; ++i) line(update(thread(phase), 0));
    EXPECT_EQ(line.misses(), 4u);
    EXPECT_EQ(line.counts.invalidations, 3u);
}

// A slot for one item, 2,000 items: the producer (which waits until it is empty) stores, the consumer loads
// and empties it.
TEST(Cases, OneSlotProducerConsumer) {
    TestLine line;
    line(store(A, 0));
    for (u32 i = 1; i < 2000; ++i) {
        line(load(i % 2 ? B : A, 0));
        line(store(i % 2 ? B : A, 0));
    }
    line(load(B, 0));
    line(load(A, 0));
    EXPECT_EQ(line.misses(), 2001u);
    EXPECT_EQ(line.counts.invalidations, 1999u);
    EXPECT_EQ(line.counts.false_events(), 0u);
}

// An atomic counter of all threads is true sharing at every event.
TEST(Cases, AtomicCounter) {
    TestLine line;
    for (u32 i = 0; i < 1000; ++i) line(update(thread(i % 4), 0, 4));
    EXPECT_EQ(line.counts.misses(), 999u);
    EXPECT_EQ(line.counts.invalidations, 999u);
    EXPECT_EQ(line.counts.false_events(), 0u);
}

// Adjacent bools of two threads in one word: all false sharing, because sharing is counted by bytes.
TEST(Cases, AdjacentBools) {
    TestLine line;
    for (u32 i = 0; i < 1000; ++i) {
        line(store(A, 0, 1));
        line(store(B, 1, 1));
    }
    EXPECT_EQ(line.counts.events(), 1999u + 1999u);
    EXPECT_EQ(line.counts.true_events(), 0u);
}

// A thread that is gone is a holder until the next store, and the bytes it used count for true sharing; the
// next thread in its slot has never held the line.
TEST(Departed, ItsCopyStays) {
    const Thread old{1, 2}, young{1, 9};
    TestLine line;
    line({load(A, 0), load(old, 8)});
    Events events = line(load(young, 16));
    EXPECT_TRUE(events.first_touch);
    events = line(store(young, 8));
    EXPECT_TRUE(events.invalidation && events.true_invalidation) << "of the byte that the old one read";
    EXPECT_TRUE(line.held_by(young) && !line.held_by(A) && !line.held_by(old));
}
TEST(Departed, TheOnlyHolderIsGone) {
    const Thread old{0, 1}, young{0, 2};
    TestLine line;
    line(store(old, 0));
    Events events = line(store(young, 8));
    EXPECT_TRUE(events.first_touch && !events.true_miss && events.invalidation && !events.true_invalidation);
    EXPECT_EQ(events.from, old.serial);
    EXPECT_EQ(events.victim, old.serial);
    EXPECT_FALSE(line(store(young, 8)).any()) << "the old one's copy went with the first store";
}

// 100,000 threads come and go over few slots: each is a first touch with an invalidation, exactly.
TEST(Departed, ManyThreads) {
    TestLine line;
    constexpr u32 kThreads = 100'000;
    for (u32 i = 1; i <= kThreads; ++i) {
        line(load({i % 3, i}, 0));
        line(store({i % 3, i}, 0));
    }
    EXPECT_EQ(line.counts.cold, 1u);
    EXPECT_EQ(line.counts.first_touches, kThreads - 1);
    EXPECT_EQ(line.counts.coherence_misses, 0u);
    EXPECT_EQ(line.counts.invalidations, kThreads - 1);
    EXPECT_EQ(line.counts.false_events(), 0u);
}

// 200 threads: each has its own copy, one store takes all, whatever the order of slots.
TEST(ManySlots, TwoHundredThreads) {
    TestLine line;
    line(store(thread(199), 0));
    for (u32 t = 0; t < 200; ++t) line(load(thread(t), 0));
    EXPECT_EQ(line.counts.first_touches, 199u);
    for (u32 t = 0; t < 200; ++t) EXPECT_TRUE(line.held_by(thread(t)));
    line(store(thread(77), 0));
    for (u32 t = 0; t < 200; ++t) EXPECT_EQ(line.held_by(thread(t)), t == 77);
    for (u32 t = 0; t < 200; ++t) line(load(thread(t), 0));
    EXPECT_EQ(line.counts.coherence_misses, 199u);
    EXPECT_EQ(line.counts.invalidations, 1u);
    TestLine few;
    few(load(thread(40), 0));
    EXPECT_FALSE(few.held_by(thread(3)) || few.held_by(thread(5)) || few.held_by(thread(17)));
    few(store(thread(1000), 0));
    EXPECT_FALSE(few.held_by(thread(40)));
    EXPECT_TRUE(few.held_by(thread(1000)));
}

// 64 threads, each with its byte: the past of a line has as many parts as bytes, and every event is false.
TEST(ManySlots, AByteEach) {
    TestLine line;
    for (u32 round = 0; round < 20; ++round)
        for (u32 t = 0; t < 64; ++t) line(store(thread(t), t, 1));
    EXPECT_EQ(line.counts.events(), 2u * (20 * 64 - 1));
    EXPECT_EQ(line.counts.true_events(), 0u);
    EXPECT_TRUE(line(load(A, 0, 64)).true_miss);
}

class WithOptions : public testing::Test {
protected:
    void TearDown() override { configure({}); }
};

// For every size of a line: two threads at its last bytes and across the words of its mask.
TEST_F(WithOptions, LineSizes) {
    for (u32 size = 16; size <= kMostLineBytes; size *= 2) {
        configure({.line_bytes = size});
        TestLine line;
        for (u32 i = 0; i < 10; ++i) {
            line(store(A, size - 2, 1));
            line(store(B, size - 1, 1));
        }
        EXPECT_EQ(line.counts.false_events(), 38u) << size;
        EXPECT_EQ(line.counts.true_events(), 0u) << size;
        TestLine whole(A);
        for (u32 first = 0; first < size; ++first) {
            whole(store(B, 0, size));
            EXPECT_TRUE(whole(store(A, first, 1)).true_invalidation);
            EXPECT_FALSE(whole(load(B, first == 0 ? 1 : 0, 1)).true_miss);
        }
    }
    configure({.line_bytes = 256});
    TestLine line;
    line({store(A, 60, 8), store(B, 68, 8), store(A, 120, 72)});
    EXPECT_TRUE(line(load(B, 191, 1)).true_miss);
    line(store(A, 120, 72));
    EXPECT_TRUE(line(load(B, 119, 2)).true_miss);
    line(store(A, 120, 72));
    EXPECT_FALSE(line(load(B, 192, 8)).true_miss);
    EXPECT_FALSE(line(store(A, 191, 1)).true_invalidation);
}

// When the numbers of epochs run out, true sharing and holders are the same as with endless numbers.
TEST_F(WithOptions, EpochsRunOut) {
    auto run = [](u32 most) {
        configure({.most_epochs = most});
        TestLine line;
        u64 random = 1;
        for (u32 i = 0; i < 20'000; ++i) {
            random = random * 6364136223846793005u + 1442695040888963407u;
            u32 bits = static_cast<u32>(random >> 33);
            line({thread(bits % 40),
                  access(bits / 64 % 56, 1 + bits / 4096 % 8, bits >> 20 & 1, !(bits >> 20 & 1))});
        }
        return line.counts;
    };
    CoherenceCounts endless = run(~0u), scarce = run(70);
    EXPECT_TRUE(endless == scarce) << endless << " but " << scarce;
    EXPECT_GT(endless.true_misses, 1000u);
    EXPECT_GT(endless.false_misses, 1000u);
}

// A line has entries for the threads that touched it, whichever slots they have, and finds them where it moves. Released
// ones serve again.
TEST(Records, HaveEntriesForAnySlots) {
    const std::vector<u32> slots = {3, 0, 63, 64, 17, 200, 65, 1, 127, 128};
    const usize before = ownership_bytes();
    {
        TestLine line;
        for (u32 i = 0; i < slots.size(); ++i) {
            line(load({slots[i], i + 1}, i * 4));
            for (u32 j = 0; j < slots.size(); ++j) EXPECT_EQ(line.held_by({slots[j], j + 1}), j <= i);
        }
        line(store({slots[4], 5}, 16));
        for (u32 j = 0; j < slots.size(); ++j) EXPECT_EQ(line.held_by({slots[j], j + 1}), j == 4);
        for (u32 j = 0; j < slots.size(); ++j)
            EXPECT_EQ(line(load({slots[j], j + 1}, 40)).coherence, j != 4) << "its entry is known";
    }
    EXPECT_EQ(ownership_bytes(), before);
    std::vector<Ownership*> lines;
    for (u32 i = 0; i < 100; ++i) lines.push_back(make_ownership_of(A));
    for (Ownership*& line : lines) apply(line, B, access(0, 8, false, true));
    for (Ownership* line : lines) release(line);
    Ownership* again = make_ownership();
    EXPECT_EQ(std::set<Ownership*>(lines.begin(), lines.end()).count(again), 1u)
        << "released ones serve again";
    release(again);
}

// A record stays small, however many stores and threads there are: it has as many parts as groups of bytes
// written together and slots used. All memory is given back.
TEST(Records, StaySmall) {
    usize before = ownership_bytes();
    {
        TestLine line;
        for (u32 i = 0; i < 100'000; ++i) line(store({i % 4, i + 1}, i % 4 * 4, 4));
        EXPECT_LE(ownership_bytes() - before, 5u * 64);
        TestLine bytes;
        usize other = ownership_bytes();
        for (u32 i = 0; i < 100'000; ++i)
            bytes({store(thread(i % 2), i % 64, 1), store(thread(i % 2), i % 61, 3)});
        EXPECT_LE(ownership_bytes() - other, 64u * 32);
        TestLine whole;
        other = ownership_bytes();
        for (u32 i = 0; i < 1000; ++i) whole({store(thread(i % 2), 0, 32), store(thread(i % 2), 32, 32)});
        EXPECT_LE(ownership_bytes() - other, 3u * 64);
    }
    EXPECT_EQ(ownership_bytes(), before);
}

// The line's own record is not written by hits, so "test before write" does what it says.
TEST(Records, HitsWriteNothing) {
    Ownership* line = make_ownership_of(A);
    apply(line, B, access(0, 8, true, false));
    unsigned char before[64], after[64];
    std::memcpy(before, line, 64);
    for (u32 i = 0; i < 10; ++i) apply(line, B, access(0, 8, true, false));
    std::memcpy(after, line, 64);
    EXPECT_EQ(std::memcmp(before, after, 64), 0);
    release(line);
}

// Without the test, and without padding, the events are the same.
TEST_F(WithOptions, MeasurementsChangeNothing) {
    configure({.test_before_write = false});
    TestLine line;
    for (u32 i = 0; i < 100; ++i) {
        line({update(A, 0, 4), update(A, 0, 4), load(B, 0), load(B, 4, 4), load(B, 4, 4)});
    }
    EXPECT_EQ(line.counts.misses(), 100u);
    EXPECT_EQ(line.counts.invalidations, 99u);
    EXPECT_EQ(line.counts.true_events(), 199u);
}

}  // namespace
}  // namespace memspy::sharing
