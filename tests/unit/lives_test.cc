// SPDX-License-Identifier: GPL-2.0-or-later
//
// Lives of bytes: what is a hand-over and what is not, and what comes of it in the replay, as literal programs with
// counts derived by hand; then random programs, each access of which is checked against the definitions by a plain
// search through all that happened.
#include "lines/lives.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>
#include <set>
#include <vector>

#include "contention_source.h"

namespace memspy::sharing {

using namespace lines;
namespace {

constexpr Address kLock = 0x1000, kOther = 0x1010;
const Thread A = thread(0), B = thread(1), C = thread(2), D = thread(3);

u64 mask(const LineAccess& access) { return (~u64{0} >> (64 - access.bytes)) << access.first; }

// One line, and what several threads do to it. The program is told in the order of the real run; each access gets a time
// by its thread's clock. replay() then takes them in any order.
class Program {
public:
    // What follows is another slice of the thread.
    Program& slice(Thread t) {
        at_ = t;
        ++reading_;
        return *this;
    }
    Program& acquire(Address lock) {
        order_.acquire(at_.slot, lock);
        held_[at_.slot] = locks_.with(held_[at_.slot], lock);
        return *this;
    }
    Program& release(Address lock) {
        order_.release(at_.slot, lock, clock_[at_.slot]);
        held_[at_.slot] = locks_.without(held_[at_.slot], lock);
        return *this;
    }
    Program& load(u32 first, u32 bytes = 8) { return touch(access(first, bytes, true, false)); }
    Program& store(u32 first, u32 bytes = 8) { return touch(access(first, bytes, false, true)); }
    Program& reuse(u64 bytes) {
        lives_.reuse(bytes, merged_);
        return *this;
    }
    // Accesses that teach nothing, and are noted together.
    Program& load_again(u32 first, u32 bytes = 8) { return again(access(first, bytes, true, false)); }
    Program& store_again(u32 first, u32 bytes = 8) { return again(access(first, bytes, false, true)); }
    // The thread's accesses since its last one were perhaps passed, stores among them.
    Program& passed() {
        lives_.passed(at_, order_.part(at_.slot), true);
        return *this;
    }
    // The merge is behind all that happened.
    Program& merge() {
        for (const auto& [slot, time] : clock_) merged_.set(slot, time);
        return *this;
    }
    // The number of the last access, for replay().
    usize last() const { return steps_.size() - 1; }

    // Replays the accesses in this order. Returns the events.
    CoherenceCounts replay(const std::vector<usize>& order) {
        TestLine line;
        for (const usize number : order) {
            const Timed& step = steps_[number];
            const auto begun = [&](u32 slot, u32, lines::Time time) { return done_[slot] > time; };
            const Lives::Standing found = lives_.find(step.step.thread, step.time, mask(step.step.access), step.step.access.stores, begun);
            late_.push_back(found.late);
            doubtful_ += found.doubtful ? 1 : 0;
            if (found.late) {
                line.counts.add(lives_.late_events(found, step.step.access.stores));
            } else {
                Events events = line.apply(step.step);
                lives_.begin(found, step.step.access.stores, events);
                line.counts.add(events);
            }
            done_[step.step.thread.slot] = step.time + 1;
        }
        return line.counts;
    }
    CoherenceCounts replay_all() {
        std::vector<usize> all(steps_.size());
        for (usize i = 0; i < all.size(); ++i) all[i] = i;
        return replay(all);
    }
    // Whether all that the thread may still do up to `until` is late once each thread's lives that start before its `begun`
    // have begun.
    bool has_handed_over_all(Thread t, lines::Time until, std::map<u32, lines::Time> begun) {
        return lives_.has_handed_over_all(t.serial, until, [&](u32 slot, u32, lines::Time time) { return time < begun[slot]; });
    }
    CoherenceCounts observed() const { return observed_.counts; }
    const std::vector<bool>& late() const { return late_; }
    u32 doubtful() const { return doubtful_; }  // of the late ones
    const Lives& lives() const { return lives_; }

private:
    Program& touch(const LineAccess& access) {
        const u64 bytes = mask(access);
        const lines::Time time = clock_[at_.slot]++;
        lives_.touch({at_, time, reading_, held_[at_.slot]}, access.loads ? bytes : 0, access.stores ? bytes : 0,
                     order_, order_.part(at_.slot), locks_, merged_);
        merged_.note_read(at_.slot, time);
        const Events events = observed_({at_, access});
        if (events.any()) lives_.note_events(at_.serial, bytes, events);
        steps_.push_back({{at_, access}, time});
        return *this;
    }

    Program& again(const LineAccess& access) {
        lives_.touch_again(at_.serial, mask(access), access.stores ? mask(access) : 0, reading_, order_.part(at_.slot));
        return *this;
    }

    struct Timed {
        Step step;
        lines::Time time;
    };
    Lives lives_;
    Progress merged_;
    lines::ObservedOrder order_;
    LockSets locks_;
    TestLine observed_;
    Thread at_;
    u32 reading_ = 0;
    std::map<u32, LockSet> held_;
    std::map<u32, lines::Time> clock_, done_;
    std::vector<Timed> steps_;
    std::vector<bool> late_;
    u32 doubtful_ = 0;
};

// Misses but the cold one, and invalidations.
std::pair<u64, u64> both(const CoherenceCounts& c) { return {c.misses(), c.invalidations}; }
using Pair = std::pair<u64, u64>;
bool is_all_true(const CoherenceCounts& c) { return c.false_misses == 0 && c.false_invalidations == 0; }

// A thread uses a block, puts it into a list, and another one takes it out. In the replay their uses overlap.
void hand_over(Program& p, bool with_lock) {
    p.slice(A).store(0).store(8).store(0).store(8);  // 0 to 3
    if (with_lock) p.acquire(kLock).release(kLock);
    p.slice(B);
    if (with_lock) p.acquire(kLock).release(kLock);
    p.store(0).store(8).store(0).store(8);  // 4 to 7
}

TEST(Lives, BytesThatAreHandedOverCostOneTouch) {
    Program in_order;
    hand_over(in_order, true);
    EXPECT_EQ(both(in_order.replay_all()), Pair(1, 1));
    EXPECT_EQ(std::count(in_order.late().begin(), in_order.late().end(), true), 0);

    // A's first access, then by turns: B's first store takes the line, and what A does from then on is late. The owner
    // before any known life has no events of its own.
    Program overlapping;
    hand_over(overlapping, true);
    const CoherenceCounts c = overlapping.replay({0, 4, 1, 5, 2, 6, 3, 7});
    EXPECT_EQ(both(c), Pair(1, 1));
    EXPECT_TRUE(is_all_true(c));
    EXPECT_EQ(overlapping.late(), (std::vector<bool>{false, false, true, false, true, false, true, false}));
}

// A's stores to its block were passed: none is known (0 is to another block of the line), or only one load. B, which
// gets the block and only reads it, has it for itself all the same, and A's later store is late.
TEST(Lives, StoresThatWerePassedMakeALife) {
    for (const bool is_known : {false, true}) {
        Program p;
        p.slice(A).store(40);
        if (is_known) p.load(0);
        p.passed().acquire(kLock).release(kLock);
        p.slice(B).acquire(kLock).release(kLock).load(0);
        const usize taken = p.last();
        p.acquire(kLock).release(kLock).slice(C).acquire(kLock).release(kLock).store(0);
        const usize given_on = p.last();
        p.replay({given_on, taken});
        EXPECT_EQ(p.lives().open_bytes(), 0u);
        EXPECT_EQ(p.late(), (std::vector<bool>{false, true}));
    }
}

// A's whole line goes to B. Once B has begun, whatever A did in the log's gaps changes nothing, if no byte can still be A's:
// one that B did not touch may be, and A's loads of bytes that B only loads are not late, so they can miss if B stores.
TEST(Lives, WhatIsMissingOfAFormerOwnerIsLateOnceTheWholeLineIsAnothers) {
    struct Case {
        u32 bytes;
        bool loads_all, stores_all, stores_one, handed;
    };
    constexpr Case kCases[] = {{64, true, false, false, true},
                               {64, false, true, false, true},
                               {64, true, false, true, false},
                               {56, true, false, false, false}};
    for (const Case& each : kCases) {
        Program p;
        p.slice(A).store(0, 64).acquire(kLock).release(kLock);
        p.slice(B).acquire(kLock).release(kLock);
        if (each.loads_all) p.load(0, each.bytes);
        if (each.stores_all) p.store(0, each.bytes);
        if (each.stores_one) p.store(0);
        EXPECT_EQ(p.has_handed_over_all(A, 5, {{B.slot, 1}}), each.handed);
    }
    // Before B has begun it all matters, and so does what B itself may still do.
    Program p;
    p.slice(A).store(0, 64).acquire(kLock).release(kLock);
    p.slice(B).acquire(kLock).release(kLock).load(0, 64);
    EXPECT_FALSE(p.has_handed_over_all(A, 5, {}));
    EXPECT_FALSE(p.has_handed_over_all(B, 5, {{B.slot, 1}}));
    EXPECT_TRUE(p.has_handed_over_all(A, 5, {{B.slot, 1}}));
    // To ask is not to begin: A's store is merged before B's load.
    p.replay({0, 1});
    EXPECT_EQ(p.late(), (std::vector<bool>{false, false}));
    // A got it back in the same window.
    p.acquire(kLock).release(kLock).slice(A).acquire(kLock).release(kLock).store(0, 64);
    EXPECT_FALSE(p.has_handed_over_all(A, 5, {{A.slot, 1}, {B.slot, 1}}));
}

// What A passed after it had let others go on is not known to be before B's touch. So what is late for B's life is doubtful.
TEST(Lives, WhatMayHavePassedTooLateIsDoubtful) {
    for (const bool lets_go_on : {false, true}) {
        Program p;
        p.slice(A).store(0).acquire(kLock).release(kLock);
        p.passed();
        if (lets_go_on) p.acquire(kLock).release(kLock);
        p.slice(B).acquire(kLock).release(kLock).store(0);
        const usize taken = p.last();
        p.slice(A).store(8).store(0);
        p.replay({taken, 0});
        EXPECT_EQ(p.late(), (std::vector<bool>{false, true}));
        EXPECT_EQ(p.doubtful(), lets_go_on ? 0u : 1u);
    }
}

TEST(Lives, WithoutOrderTheReplayCounts) {
    Program p;
    hand_over(p, false);
    // Each store but the first finds the line with the other thread.
    EXPECT_EQ(both(p.replay({0, 4, 1, 5, 2, 6, 3, 7})), Pair(7, 7));

    // When that has happened six times, the bytes have no lives any more, whatever order there is later.
    Program open;
    for (u32 i = 0; i < 7; ++i) open.slice(i % 2 == 0 ? A : B).store(0).store(0);
    EXPECT_EQ(open.lives().open_bytes(), 0xFFu);
    open.acquire(kLock).release(kLock);
    open.slice(B).acquire(kLock).release(kLock).store(0);
    EXPECT_EQ(both(open.replay({14, 12, 13})), Pair(1, 1));
    EXPECT_EQ(std::count(open.late().begin(), open.late().end(), true), 0);
}

// Three owners in turn. In the replay the last one comes first: each change of owner costs its first touch all the same.
TEST(Lives, LateFirstTouchesAreCharged) {
    Program p;
    for (const Thread t : {A, B, C})
        p.slice(t).acquire(kLock).release(kLock).load(0).store(0).store(0).acquire(kLock).release(kLock);
    EXPECT_EQ(both(p.observed()), Pair(2, 2));
    const CoherenceCounts c = p.replay({0, 6, 3, 1, 7, 4, 2, 8, 5});
    // C's load misses, its store takes the line from A. B's load and store are charged as observed. A's stores are late.
    EXPECT_EQ(both(c), Pair(2, 2));
    EXPECT_TRUE(is_all_true(c));
}

TEST(Lives, GuardedBytesGoInTheReplaysOrder) {
    Program p;
    for (const Thread t : {A, B})
        for (u32 i = 0; i < 4; ++i) p.slice(t).acquire(kLock).store(0).release(kLock);
    EXPECT_EQ(both(p.observed()), Pair(1, 1));
    EXPECT_EQ(both(p.replay({0, 4, 1, 5, 2, 6, 3, 7})), Pair(7, 7));
}

// Each thread has its own bytes; both take a lock that has nothing to do with them.
TEST(Lives, AccidentalOrderIsNoHandOver) {
    Program p;
    for (const Thread t : {A, B, A, B})
        p.slice(t).acquire(kLock).release(kLock).store(t == A ? 0 : 8).acquire(kLock).release(kLock);
    const CoherenceCounts c = p.replay({0, 1, 2, 3});
    EXPECT_EQ(both(c), Pair(3, 3));
    EXPECT_EQ(c.false_misses, 3u);
}

// A block that goes from A to B beside two threads' own counters: the block's uses do not meet, the counters and the block
// do.
TEST(Lives, BothInOneLine) {
    Program p;
    p.slice(A).store(32).store(0).store(32).store(0).acquire(kLock).release(kLock);  // 0 to 3
    p.slice(B).acquire(kLock).release(kLock).store(0).store(40).store(0).store(40);  // 4 to 7
    p.slice(A).store(32);                                                           // 8
    const CoherenceCounts c = p.replay({0, 1, 4, 2, 5, 3, 6, 8, 7});
    // 4 takes the line (true); 2, A's counter, takes it back, 5 and 6 are B's (5 takes it); 3 is late; 8 and 7 again.
    EXPECT_EQ(both(c), Pair(5, 5));
    EXPECT_EQ(c.false_misses, 4u);
    EXPECT_EQ(c.true_misses, 1u);
    EXPECT_EQ(p.late(), (std::vector<bool>{false, false, false, false, false, true, false, false, false}));
}

// The link of a list, touched under the lock only, follows the block; a counter under the lock does not, though it is in
// the line of a block of somebody else's.
TEST(Lives, LinksFollowTheirBlock) {
    Program p;
    for (const Thread t : {A, B, C})
        p.slice(t).acquire(kLock).load(0).release(kLock).store(8).acquire(kLock).store(0).release(kLock);
    // C takes and gives (6 to 8) before B (3 to 5) has stored to the block.
    const CoherenceCounts c = p.replay({0, 1, 2, 3, 6, 7, 8, 4, 5});
    EXPECT_EQ(p.late(), (std::vector<bool>{false, false, false, false, false, false, false, true, true}));
    EXPECT_TRUE(is_all_true(c));

    Program counter;
    counter.slice(A).acquire(kLock).store(0).release(kLock).store(8);
    counter.slice(B).acquire(kLock).store(0).release(kLock).store(16);
    counter.slice(A).acquire(kLock).store(0).release(kLock).store(8);
    counter.slice(B).acquire(kLock).store(0).release(kLock).store(16);
    counter.replay({0, 2, 6, 4, 1, 3, 5, 7});
    EXPECT_EQ(std::count(counter.late().begin(), counter.late().end(), true), 0);
}

// Under both locks at different times: the bytes are not guarded. Under one of two always: they are.
TEST(Lives, LocksInCommon) {
    Program p;
    p.slice(A).acquire(kLock).store(0).release(kLock);
    p.slice(B).acquire(kOther).acquire(kLock).release(kLock).store(0).release(kOther);  // 1
    p.slice(A).store(8).acquire(kLock).store(0).release(kLock);                         // 2, 3
    p.replay({0, 3, 1});
    EXPECT_EQ(p.late(), (std::vector<bool>{false, false, false})) << "B's touch is not before A's second one";

    Program q;
    q.slice(A).acquire(kOther).acquire(kLock).store(0).release(kLock).release(kOther);
    q.slice(B).acquire(kLock).store(0).release(kLock);
    q.slice(A).acquire(kLock).store(0).release(kLock);
    q.replay({0, 2, 1});
    EXPECT_EQ(std::count(q.late().begin(), q.late().end(), true), 0);
    EXPECT_EQ(q.lives().open_bytes(), 0u);
}

// Memory that was freed and allocated again has another life, whoever freed it, without a lock that is known.
TEST(Lives, ReusedMemory) {
    Program p;
    p.slice(A).store(0).store(0).store(0);
    p.reuse(0xFF);
    p.slice(B).store(0).store(0).store(0);
    EXPECT_EQ(both(p.replay({0, 3, 1, 4, 2, 5})), Pair(1, 1));

    // Bytes that were open are not open for their next users.
    Program q;
    for (u32 i = 0; i < 7; ++i) q.slice(i % 2 == 0 ? A : B).store(0);
    EXPECT_EQ(q.lives().open_bytes(), 0xFFu);
    q.reuse(0xFF);
    EXPECT_EQ(q.lives().open_bytes(), 0u);
}

// A thread that has given bytes away and comes back to them without synchronisation: its later accesses are not late.
TEST(Lives, ComingBack) {
    Program p;
    p.slice(A).store(0).acquire(kLock).release(kLock);
    p.slice(B).acquire(kLock).store(0).release(kLock).store(0);
    p.slice(A).store(0).store(0);
    EXPECT_EQ(both(p.replay({0, 1, 3, 2, 4})), Pair(4, 4));
}

TEST(Lives, SeveralReadersMakeBytesOpen) {
    Program p;
    p.slice(A).store(0).acquire(kLock).release(kLock);
    p.slice(B).acquire(kLock).release(kLock).load(0);
    EXPECT_EQ(p.lives().open_bytes(), 0u);
    p.slice(C).acquire(kLock).release(kLock).load(0);
    EXPECT_EQ(p.lives().open_bytes(), 0xFFu);
}

// However often the bytes go round, few lives are kept, and what is late stays so.
TEST(Lives, FewAreKept) {
    Program p;
    for (u32 i = 0; i < 1000; ++i)
        p.slice(thread(i % 4)).acquire(kLock).release(kLock).store(0).acquire(kLock).release(kLock);
    EXPECT_LE(p.lives().count(), 129u);
    const CoherenceCounts c = p.replay({3, 0, 1, 2, 999, 998});
    EXPECT_TRUE(p.late()[5]);
    EXPECT_TRUE(is_all_true(c));
}

// Until the merge is behind it, a life tells what is late, though many more follow. Then it is of no use.
TEST(Lives, KeptUntilTheyAreMerged) {
    Program p;
    const auto go_round = [&](u32 times) {
        for (u32 i = 0; i < times; ++i)
            p.slice(thread(i % 4)).acquire(kLock).release(kLock).store(0).acquire(kLock).release(kLock);
    };
    go_round(60);
    const CoherenceCounts c = p.replay({0, 1, 2, 3, 5, 4});  // B has what A had before it, then A
    EXPECT_TRUE(p.late()[5]);
    EXPECT_EQ(both(c), Pair(5, 5));
    p.merge();
    go_round(1);
    EXPECT_LE(p.lives().count(), 2u);
}

// A producer fills a block of many words and sets a flag on which nobody has waited yet: that is no order, for the whole
// block once, not for each of its words. Later changes of hands are ordered.
TEST(Lives, ABlockWithoutOrderIsOneStrike) {
    Program p;
    p.slice(A);
    for (u32 at = 0; at < 64; at += 8) p.store(at);
    p.slice(B);
    for (u32 at = 0; at < 64; at += 8) p.load(at);  // 8 to 15
    EXPECT_EQ(p.lives().open_bytes(), 0u);
    p.store(0).acquire(kLock).release(kLock);                             // 16
    p.slice(A).acquire(kLock).release(kLock).store(0).store(0).store(0);  // 17 to 19
    p.replay({0, 17, 16, 18});
    EXPECT_EQ(p.late(), (std::vector<bool>{false, false, true, false}));
}

// What the owner of a line of its own stores is noted in sums. A load by the next owner is a hand-over then, too.
TEST(Lives, StoresThatAreNotedTogether) {
    for (const bool stores : {false, true}) {
        Program p;
        p.slice(A).load(0);
        stores ? p.store_again(0) : p.load_again(0);
        p.acquire(kLock).release(kLock);
        p.slice(B).acquire(kLock).release(kLock).load(0);
        EXPECT_EQ(p.lives().open_bytes(), stores ? 0u : 0xFFu);
    }
}

// Random programs: four threads use blocks of 16 bytes, partly under locks, some of them their own ones only. Whatever the
// order of the replay, each access that is late really has a successor: another thread's later access to the same bytes,
// which is ordered after it by a chain of releases and acquisitions, and whose thread is in that life in the replay. Bytes that only one
// thread uses are never late; nor are those that are used under one lock only, if nothing else is handed over (with what is
// they may follow: odd seeds have none).
struct Happened {
    u32 thread;
    u32 block;
    bool stores, guarded;
    std::set<usize> before;  // accesses that are before it by synchronisation
};
void random_program(u32 seed) {
    std::mt19937 random(seed);
    const auto upto = [&](u32 n) { return std::uniform_int_distribution<u32>(0, n - 1)(random); };
    Program p;
    std::vector<Happened> all;
    std::set<usize> known[4], given[2];
    const Thread threads[] = {A, B, C, D};
    const u32 slices = 4 + upto(30);
    for (u32 i = 0; i < slices; ++i) {
        const u32 t = upto(4);
        p.slice(threads[t]);
        for (u32 n = 1 + upto(4); n > 0; --n) {
            const u32 lock = upto(2);
            const bool guarded = upto(4) == 0, locks = guarded || upto(2) == 0;
            const Address address = lock == 0 ? kLock : kOther;
            if (locks) {
                p.acquire(address);
                known[t].insert(given[lock].begin(), given[lock].end());
            }
            if (locks && !guarded) {
                given[lock].insert(known[t].begin(), known[t].end());
                p.release(address);
            }
            // Block 2: under the first lock only; block 3: a part for each thread.
            u32 block = upto(4);
            if (seed % 2 == 0) block = block == 2 ? 0 : block;
            if (seed % 2 == 1) block = guarded && lock == 0 ? 2 : 3;
            const u32 first = block * 16 + (block == 3 ? t * 4 : 0), bytes = block == 3 ? 4 : 16;
            const bool stores = upto(3) != 0;
            if (stores)
                p.store(first, bytes);
            else
                p.load(first, bytes);
            all.push_back({t, block, stores, guarded, known[t]});
            known[t].insert(all.size() - 1);
            if (guarded) {
                given[lock].insert(known[t].begin(), known[t].end());
                p.release(address);
            }
        }
    }
    // Each thread's accesses in their order, otherwise any.
    std::vector<usize> order;
    std::vector<usize> next(4);
    std::vector<std::vector<usize>> of(4);
    for (usize i = 0; i < all.size(); ++i) of[all[i].thread].push_back(i);
    while (order.size() < all.size()) {
        const u32 t = upto(4);
        if (next[t] < of[t].size()) order.push_back(of[t][next[t]++]);
    }
    p.replay(order);
    for (usize i = 0; i < order.size(); ++i) {
        if (!p.late()[i]) continue;
        const Happened& late = all[order[i]];
        EXPECT_TRUE(late.block < 2) << "seed " << seed << ", access " << order[i] << " of block " << late.block;
        // A life begins with its owner's first touch, which may be of other bytes of the former owner.
        bool found = false;
        for (usize number = order[i] + 1; number < all.size() && !found; ++number) {
            const Happened& later = all[number];
            if (later.thread == late.thread || later.block != late.block || later.before.count(order[i]) == 0) continue;
            for (usize k = 0; k < i; ++k)
                found |= all[order[k]].thread == later.thread && order[k] > order[i];
        }
        EXPECT_TRUE(found) << "seed " << seed << ", access " << order[i];
    }
}
TEST(Lives, RandomPrograms) {
    for (u32 seed = 0; seed < 3000 && !testing::Test::HasFailure(); ++seed) random_program(seed);
}

}  // namespace
}  // namespace memspy::sharing
