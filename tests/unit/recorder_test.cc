// SPDX-License-Identifier: GPL-2.0-or-later
//
// The recorder on literal logs: accesses to lines that threads do not share cost nothing, the counts when
// lines go from thread to thread, and random programs against a plain simulator that keeps all accesses and
// only has the definitions. All records are passed on in the replay's order.
//
// A process has one recorder, so each case runs in a process of its own.
#include "order/recorder.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <functional>
#include <iostream>
#include <map>
#include <memory>
#include <random>
#include <set>
#include <tuple>
#include <vector>

#include "contention_source.h"
#include "log/consumer.h"
#include "log/quiet_lines.h"
#include "log_source.h"
#include "order/passing.h"
#include "order/recording.h"
#include "order/rules.h"
#include "order/strand.h"
#include "places/objects.h"
#include "sharing/line_counts.h"
#include "sharing/tally.h"
#include "threads/call_tree.h"

namespace {

using namespace memspy;
using namespace memspy::sharing;
using namespace memspy::order;
using log::RecordBuilder;
using threads::CallPath;

// In place of objects.cc: 8 bytes of memory belong together; retired ones have a new owner from then on.
std::map<Address, u32> owners_before;
u32 owner_of(Address a) {
    const auto found = owners_before.find(a / 8);
    return static_cast<u32>(a / 8 % 1000 + 1 + (found == owners_before.end() ? 0 : found->second * 1000));
}

}  // namespace

namespace memspy::places {

Extent find_extent(Address a) {
    const Address begin = a / 8 * 8;
    return Extent{.begin = begin, .end = begin + 8, .object = ObjectId{owner_of(a)}, .start = begin};
}
void look_for_owner(ObjectId, Address) {}

const Object& object(ObjectId) {
    static const Object known;  // a static variable
    return known;
}
}  // namespace memspy::places

namespace {

// Runs `body` in a process of its own. Returns whether it had no failure; failures are printed there.
bool passes_alone(const std::function<void()>& body) {
    std::cout.flush();
    const pid_t child = fork();
    if (child == 0) {
        body();
        std::cout.flush();
        _exit(testing::Test::HasFailure() ? 1 : 0);
    }
    int status = -1;
    return child > 0 && waitpid(child, &status, 0) == child && status == 0;
}
void isolated(const std::function<void()>& body) { EXPECT_TRUE(passes_alone(body)) << "see above"; }

constexpr u64 kLine = 64;
constexpr Address kMemory = 0x10'0000, kTouchedBefore = 0x20'0000, kTouchedEnd = 0x30'0000;

bool touched_before(Address a) { return a >= kTouchedBefore && a < kTouchedEnd; }
std::vector<u32> merged_threads;  // serials of threads whose accesses have been merged
void merged(Thread t) { merged_threads.push_back(t.serial); }

// Records passed on in the replay's order: thread and call path, which identifies a record here.
std::vector<std::pair<u32, u32>> told;
u32 told_stretches = 0;
void in_order(Thread t, const u64* first, const u64* end) {
    ++told_stretches;
    log::for_each_record(first, end, [&](const log::Record& record, const log::Shape&) {
        told.emplace_back(t.serial, static_cast<u32>(record.path));
    });
}

// A thread that can be told what to do.
struct Actor {
    Thread self;
    Strand* strand = nullptr;

    void run(RecordBuilder& record, CallPath path = CallPath::Root) {
        strand->read(record.write(strand->log_end(), path));
    }
    // One record of one instruction.
    void load(Address a, u32 bytes = 4) { one(a, bytes, true, false); }
    void store(Address a, u32 bytes = 4) { one(a, bytes, false, true); }
    void update(Address a, u32 bytes = 4) { one(a, bytes, true, true); }
    void one(Address a, u32 bytes, bool loads, bool stores) {
        RecordBuilder b(line_bytes);
        b.access(a, bytes, loads, stores);
        run(b);
    }
    // Instructions without accesses.
    void compute(u32 count) {
        RecordBuilder b;
        b.instructions(count - 1);
        run(b);
    }
    // As generated code does: whether an access of one instruction is passed.
    bool passes(Address a, bool stores = false) {
        log::QuietLines& lines = log::quiet_lines();
        const u64 bit = strand->quiet_bit();
        if (!lines.are_loads_quiet(a, bit) || (stores && !lines.are_stores_quiet(a))) return false;
        lines.renew(a, bit);
        compute(1);
        return true;
    }
    Time now() const { return clocks().now(self); }
    void wait_until(Time time) const { clocks().lift(self, time); }
    void exit() const {
        clocks().exit(self, 0);
        strand->set_gone();
    }
    CoherenceCounts counts(View view = View::Modelled) const {
        return thread_row(self).counts[static_cast<u32>(view)];
    }

    static inline u32 line_bytes = 64;
};

u32 next_serial = 1;
Actor start(u32 slot, const Actor* parent = nullptr) {
    Actor actor;
    actor.self = Thread{slot, next_serial++};
    know_thread(actor.self, parent == nullptr ? 0 : parent->self.serial, slot + 1);
    clocks().create(parent == nullptr ? Thread{} : parent->self, actor.self);
    actor.strand = make_strand(actor.self);
    return actor;
}

// Main, and `others` more.
std::vector<Actor> begin(u32 others, RecorderOptions options = {}) {
    OwnershipOptions ownership;
    ownership.line_bytes = Actor::line_bytes = options.line_bytes;
    configure(ownership);
    options.observer = kLineCounts;
    options.touched_before = touched_before;
    options.first = Thread{0, 1};
    options.merged = merged;
    options.in_order = in_order;
    initialise_recorder(options);
    std::vector<Actor> actors;
    actors.push_back(start(0));
    for (u32 i = 1; i <= others; ++i) actors.push_back(start(i, &actors[0]));
    return actors;
}

void finish(std::vector<Actor>& actors) {
    for (Actor& actor : actors) actor.exit();
    merge_all();
}

struct Figures {
    u64 cold = 0, first = 0, coherence = 0, invalidations = 0;
    bool operator==(const Figures&) const = default;
};
std::ostream& operator<<(std::ostream& out, const Figures& f) {
    return out << "cold " << f.cold << " first " << f.first << " coherence " << f.coherence
               << " invalidations " << f.invalidations;
}
// Cold misses of lines that were never shared are not counted, so they are compared only for shared lines.
Figures figures(const CoherenceCounts& c) {
    return Figures{0, c.first_touches, c.coherence_misses, c.invalidations};
}
Figures figures_of_line(Address a, View view = View::Modelled) {
    const LineRow* row = find_line(a / Actor::line_bytes);
    if (row == nullptr) return {};
    const CoherenceCounts& c = row->counts[static_cast<u32>(view)];
    return Figures{c.cold, c.first_touches, c.coherence_misses, c.invalidations};
}
bool has_record(Address a) { return find_line(a / Actor::line_bytes) != nullptr; }

}  // namespace

// ---- Passed accesses

// Threads of which the first two pass their loads of kRead.
constexpr Address kRead = kTouchedBefore;
static std::vector<Actor> begin_with_readers(u32 others) {
    log::quiet_lines().initialise(kLine);
    auto t = begin(others);
    for (Time round = 1; round <= 3; ++round) {
        for (const u32 reader : {1, 2}) t[reader].load(kRead);
        for (Actor& actor : t) actor.wait_until(100 * round);
        merge();
    }
    return t;
}

// Two threads pass their loads of a line; a third one stores to it, and then one of the two, both earlier in virtual time
// than the other's last loads. Each store may lack an event of its own, and one of each other thread that passed the line.
TEST(Passing, StoresOfAThreadThatPassedTheLineMayLackEventsToo) {
    isolated([] {
        auto t = begin_with_readers(3);
        for (const u32 reader : {1, 2}) ASSERT_TRUE(t[reader].passes(kRead));
        t[1].compute(50);
        t[2].compute(1000);
        t[3].store(kRead);
        t[1].store(kRead);
        finish(t);
        EXPECT_EQ(missing_events(), 3u + 2u);
    });
}

// The same, but the store is later than one thread's last loads: those lack nothing, and only the other thread counts.
TEST(Passing, EachThreadCountsUntilItsOwnLogBeginsAgain) {
    isolated([] {
        auto t = begin_with_readers(3);
        for (const u32 reader : {1, 2}) ASSERT_TRUE(t[reader].passes(kRead));
        t[1].compute(50);
        t[2].compute(1000);
        t[3].compute(400);
        t[3].store(kRead);
        finish(t);
        EXPECT_EQ(missing_events(), 2u);
    });
}

// The same, and then a thread that is behind stores to the line: earlier than the last loads of both.
TEST(Passing, AThreadThatIsBehindMayLackEventsToo) {
    isolated([] {
        auto t = begin_with_readers(4);
        for (const u32 reader : {1, 2}) {
            ASSERT_TRUE(t[reader].passes(kRead));
            t[reader].compute(50);
        }
        t[3].compute(400);
        t[3].store(kRead);
        t[4].store(kRead);
        finish(t);
        EXPECT_EQ(missing_events(), 3u);
    });
}

// A thread stores to a line that it alone holds, which passes; another one stores to it as often, as is found later. In
// the replay the two are in turns. Told is at least what is missing.
TEST(Passing, WhereBothStoreEachMissesAndTakesTheLineBack) {
    constexpr Address line = kMemory;
    constexpr u32 kTurns = 20;
    const auto events_in_turns = [](bool passes) {
        if (passes) log::quiet_lines().initialise(kLine);
        auto t = begin(2);
        t[1].store(line);
        for (Actor& actor : t) actor.wait_until(100);
        merge();
        for (u32 turn = 0; turn < kTurns; ++turn) {
            t[1].compute(9);
            if (passes)
                EXPECT_TRUE(t[1].passes(line, true));
            else
                t[1].store(line);
        }
        t[2].compute(5);
        for (u32 turn = 0; turn < kTurns; ++turn) {
            t[2].store(line);
            t[2].compute(9);
        }
        finish(t);
        const Figures figures = figures_of_line(line);
        return figures.first + figures.coherence + figures.invalidations;
    };
    isolated([&] { EXPECT_EQ(events_in_turns(false), 4 * kTurns); });
    isolated([&] { EXPECT_GE(events_in_turns(true) + missing_events(), 4 * kTurns); });
}

// A thread passes its stores to a line until it waits, and then works elsewhere, far ahead of the thread that comes to the
// line next, later than that wait. Nothing is missing, though the line was passed by the thread that is ahead. Before, much
// of another line was, because only then waits matter.
TEST(Passing, WhatWasPassedBeforeAWaitLacksNothingBehindIt) {
    constexpr Address line = kMemory;
    const auto missing_after = [](bool waits, bool comes_back) {
        log::quiet_lines().initialise(kLine);
        auto t = begin(2);
        t[1].store(line);
        for (Actor& actor : t) actor.wait_until(100);
        merge();
        t[1].store(line + kLine);
        for (Actor& actor : t) actor.wait_until(200);
        merge();
        EXPECT_TRUE(t[1].passes(line + kLine, true));
        t[1].compute(5000);
        for (u32 i = 0; i < 100; ++i) t[2].store(line + kLine);
        EXPECT_TRUE(t[1].passes(line, true));
        for (Actor& actor : t) actor.wait_until(5500);
        merge();
        EXPECT_TRUE(is_bound_large());
        const u64 before = missing_events();
        if (waits) enters_kernel(*t[1].strand);
        for (Actor& actor : t) actor.wait_until(6000);
        t[1].strand->quiet_bit();
        if (comes_back) {
            EXPECT_TRUE(t[1].passes(line, true));
        }
        t[1].compute(5000);
        t[2].store(line);
        finish(t);
        return missing_events() - before;
    };
    isolated([&] { EXPECT_EQ(missing_after(true, false), 0u); });
    isolated([&] { EXPECT_EQ(missing_after(false, false), 4u); });
    isolated([&] { EXPECT_EQ(missing_after(true, true), 4u); });
}

// A program starts many threads when earlier ones have bits for all their ages: each gets a bit, and lines stay quiet for
// those that had passed them.
TEST(Passing, ThreadsThatComeLateGetABit) {
    isolated([] {
        log::quiet_lines().initialise(kLine);
        constexpr Address line = kMemory;
        constexpr u32 kThreads = log::QuietLines::kThreads;
        auto t = begin(kThreads - 1);  // and the first one
        t[1].store(line);
        for (Actor& actor : t) actor.wait_until(100);
        merge();
        for (u32 early = 1; early <= 4; ++early)
            for (Time now = 5000; now <= 30'000; now += 5000) {
                t[early].strand->quiet_bit();
                begin_age(t[early].self, now);
            }
        EXPECT_TRUE(t[1].passes(line, true));
        begin_age(t[1].self, 40'000);
        for (Actor& actor : t) EXPECT_NE(actor.strand->quiet_bit(), log::QuietLines::kNobody);
        EXPECT_TRUE(t[1].passes(line, true));
        EXPECT_FALSE(t[2].passes(line));
        finish(t);
    });
}

// A line that could be passed, but was not, lacks nothing. Nor do loads of one that its thread only loads.
TEST(Passing, WhatWasNotPassedLacksNothing) {
    constexpr Address line = kMemory;
    const auto missing_after = [](bool first_stores, bool passes, bool stores) {
        log::quiet_lines().initialise(kLine);
        auto t = begin(2);
        t[1].one(line, 4, !first_stores, first_stores);
        for (Actor& actor : t) actor.wait_until(100);
        merge();
        if (passes) {
            EXPECT_TRUE(t[1].passes(line));
        }
        t[1].compute(5000);
        t[2].one(line, 4, !stores, stores);
        finish(t);
        return missing_events();
    };
    isolated([&] { EXPECT_EQ(missing_after(true, false, true), 0u); });
    isolated([&] { EXPECT_EQ(missing_after(true, true, false), 2u); });
    isolated([&] { EXPECT_EQ(missing_after(false, true, false), 0u); });
    isolated([&] { EXPECT_EQ(missing_after(false, true, true), 2u); });
}

// A load that fetches a line has those behind it passed as soon as it is written, before the log is read: not while a store
// by another thread is to be merged.
TEST(Passing, LoadsArePassedFromTheRecordThatFetchesTheLine) {
    isolated([] {
        log::quiet_lines().initialise(kLine);
        constexpr Address line = kMemory;
        auto t = begin(2);
        const auto is_passed = [&](Actor& actor) {
            RecordBuilder b;
            b.access(line, 4, true, false);
            u64* const at = actor.strand->log_end();
            u64* const end = b.write(at);
            const u64 bit = actor.strand->quiet_bit();
            pass_loads_of(*reinterpret_cast<const log::Record*>(at), actor.self, bit, actor.strand->lines_passed());
            const bool passed = log::quiet_lines().are_loads_quiet(line, bit);
            actor.strand->read(end);
            return passed;
        };
        t[1].store(line);
        t[2].load(line);
        EXPECT_FALSE(is_passed(t[2]));
        for (Actor& actor : t) actor.wait_until(100);
        merge();
        EXPECT_TRUE(is_passed(t[2]));
        EXPECT_FALSE(log::quiet_lines().are_stores_quiet(line));
        finish(t);
    });
}

// One thread after the other begins and loads from a line that nobody stores to any more, as from addresses of functions. The
// first thread, which loads it all the time, passes it all the same: what is loaded for the first time does not go back and
// forth, and does not end the rest of a line. When the threads have one bit each, one load may be logged behind each wait.
TEST(Passing, NewThreadsLeaveWhatIsOnlyReadQuiet) {
    const auto logged_at_last = [](u32 loads) {
        log::quiet_lines().initialise(kLine);
        constexpr u32 kThreads = 28, kLast = 8;
        auto t = begin(kThreads);
        u32 logged = 0;
        t[1].store(kMemory);
        for (u32 next = 2; next <= kThreads; ++next) {
            const Time latest = std::max(t[1].now(), t[next - 1].now());
            for (Actor& actor : t) {
                enters_kernel(*actor.strand);
                actor.wait_until(latest);
            }
            merge();
            t[next].load(kMemory);
            merge();
            for (u32 i = 0; i < loads; ++i) {
                if (t[1].passes(kMemory)) continue;
                t[1].load(kMemory);
                if (next > kThreads - kLast) ++logged;
            }
        }
        finish(t);
        EXPECT_EQ(figures_of_line(kMemory), (Figures{1, kThreads - 1, 0, 0}));
        EXPECT_EQ(missing_events(), 0u);
        return logged;
    };
    isolated([&] { EXPECT_LE(logged_at_last(4), 8u); });
    isolated([&] { EXPECT_EQ(logged_at_last(64), 0u) << "the line rests"; });
}

// A thread fetches a line that another one stored to. The merge has not come to that load, because others are behind; but all
// stores are merged, so what the thread loads next teaches nothing. While a store is not merged, loads are logged.
TEST(Passing, LoadsAreQuietBehindTheOneThatFetchesTheLine) {
    const auto passes = [](bool all_stores_merged) {
        log::quiet_lines().initialise(kLine);
        auto t = begin(3);
        t[1].store(kMemory);
        t[2].load(kMemory);
        t[1].store(kMemory);
        for (Actor& actor : t) actor.wait_until(100);
        merge();
        if (!all_stores_merged) t[1].store(kMemory);
        t[2].compute(50);
        t[2].load(kMemory);
        merge();
        const bool passed = t[2].passes(kMemory);
        finish(t);
        return passed;
    };
    isolated([&] { EXPECT_TRUE(passes(true)); });
    isolated([&] { EXPECT_FALSE(passes(false)); });
}

// Loads from a line with a word that is updated atomically are never passed.
TEST(Passing, LoadsBesideAnUpdatedWordAreNotPassed) {
    const auto is_passed = [](bool updated) {
        log::quiet_lines().initialise(kLine);
        auto t = begin(2);
        if (updated) {
            RecordBuilder update;
            update.atomic_update(kMemory + 8);
            t[1].run(update);
        }
        for (u32 i = 0; i < 2; ++i) {
            t[1].store(kMemory);
            t[2].load(kMemory);
        }
        t[1].store(kMemory);
        for (Actor& actor : t) actor.wait_until(100);
        merge();
        const u64 bit = t[2].strand->quiet_bit();
        RecordBuilder load;
        load.access(kMemory, 4, true, false);
        u64* const at = t[2].strand->log_end();
        load.write(at, CallPath::Root);
        pass_loads_of(*reinterpret_cast<const log::Record*>(at), t[2].self, bit, t[2].strand->lines_passed());
        const bool passed = log::quiet_lines().are_loads_quiet(kMemory, bit);
        t[2].load(kMemory);
        EXPECT_FALSE(order::lines().of(order::lines().look(kMemory)).syncs) << "which would be another reason";
        finish(t);
        return passed;
    };
    isolated([&] { EXPECT_TRUE(is_passed(false)); });
    isolated([&] { EXPECT_FALSE(is_passed(true)); });
}

// A thread that loads from the line in one step after the other, while nobody stores to it, goes on to pass its loads behind
// each wait: one load of a round is logged, and may be read with the next.
TEST(Passing, LoadsGoOnBehindWaits) {
    const auto run = [](u32 steps, bool comes_back, Time behind) {
        log::quiet_lines().initialise(kLine);
        auto t = begin(2);
        constexpr u32 kRounds = 100;
        u32 logged = 0;
        const auto barrier = [&] {
            const Time latest = std::max(t[1].now(), t[2].now());
            for (Actor& actor : t) {
                enters_kernel(*actor.strand);
                actor.wait_until(latest);
                enters_kernel(*actor.strand);
            }
            merge();
        };
        const auto load = [&] {
            if (t[2].passes(kMemory)) return;
            ++logged;
            t[2].load(kMemory);
        };
        for (u32 round = 0; round < kRounds; ++round) {
            merge();
            t[1].store(kMemory);
            barrier();
            for (u32 step = 0; step < steps; ++step) {
                for (u32 i = 0; i < 4; ++i) load();
                barrier();
            }
        }
        merge();
        // The last loads of the last round, and a store that is earlier than they, or later.
        EXPECT_EQ(missing_events(), 0u);
        if (comes_back) {
            EXPECT_TRUE(t[2].passes(kMemory));
        }
        t[2].compute(1000);
        enters_kernel(*t[2].strand);
        t[1].compute(static_cast<u32>(behind));
        t[1].store(kMemory);
        finish(t);
        EXPECT_EQ(figures_of_line(kMemory), (Figures{1, 1, kRounds - 1, kRounds}));
        return std::pair(logged, missing_events());
    };
    // Each of 20 steps would log a load.
    isolated([&] {
        const auto [logged, missing] = run(20, true, 2000);
        EXPECT_LE(logged, 100 * 20);
        EXPECT_EQ(missing, 0u);
    });
    isolated([&] { EXPECT_EQ(run(4, true, 10).second, 2u); });
    isolated([&] { EXPECT_EQ(run(4, false, 10).second, 0u); });
}

// A thread that has asked for a token sleeps in the call, of which nothing is left in its log, or the update by which it
// takes the token. Meanwhile others' stores to a line that the program's first thread handed over are merged, and then loads
// of it are passed.
TEST(Passing, NotHeldUpByAThreadThatWaitsForAToken) {
    for (const bool updates : {false, true})
        isolated([updates] {
            log::quiet_lines().initialise(kLine);
            constexpr Address semaphore = kMemory, line = kTouchedBefore;
            auto t = begin(3);
            recording->options.in_order = nullptr;
            const CallPath call = threads::child_of(CallPath::Root, 0x500000);
            RecordBuilder enter;
            enter.event(log::LockEvent::Take, semaphore);
            t[1].run(enter, call);
            RecordBuilder look;
            if (updates)
                look.atomic_update(semaphore);
            else
                look.load(semaphore);
            t[1].run(look, call);
            clocks().wait(t[1].self, order::WaitFor::Token, semaphore);
            t[2].load(line);
            t[2].store(line);
            t[3].compute(100);
            t[3].load(line);
            t[3].compute(100);
            for (const u32 each : {0, 2, 3}) t[each].wait_until(1000);
            merge();
            t[3].load(line);
            EXPECT_TRUE(t[3].passes(line)) << updates;
            finish(t);
        });
}

// ---- Lines that threads do not compete for

// Lines of one thread each have no record, and none of their accesses goes through the merge; they are
// counted.
TEST(Private, NoRecords) {
    isolated([] {
        auto t = begin(3);
        for (u32 round = 0; round < 50; ++round) {
            for (u32 i = 0; i < 4; ++i)
                for (u32 line = 0; line < 20; ++line) t[i].update(kMemory + (i * 20 + line) * kLine + round);
            if (round % 7 == 0) merge();
        }
        finish(t);
        EXPECT_EQ(recorder_counts().merged, 0u);
        for (u32 line = 0; line < 80; ++line) EXPECT_FALSE(has_record(kMemory + line * kLine)) << line;
        EXPECT_EQ(total(View::Modelled).events(), 0u);
        EXPECT_EQ(total(View::Observed).events(), 0u);
        EXPECT_EQ(thread_row(t[2].self).accesses.loads, 1000u);
        EXPECT_EQ(thread_row(t[2].self).accesses.stores, 1000u);
        EXPECT_EQ(thread_row(t[2].self).instructions, 1000u);
    });
}

// Data of the first thread that a worker then writes is handed over once, without a record.
TEST(Private, HandoverFromTheFirstThread) {
    isolated([] {
        auto t = begin(2);
        const Address loaded = kTouchedBefore, stored = kTouchedBefore + kLine;
        for (u32 round = 0; round < 30; ++round) {
            t[1].store(stored);
            t[2].load(loaded);
            if (round >= 10) t[2].store(loaded);
            if (round % 4 == 0) merge();
        }
        finish(t);
        for (View view : {View::Observed, View::Modelled}) {
            EXPECT_EQ(figures(t[1].counts(view)), (Figures{0, 1, 0, 1}));
            EXPECT_EQ(figures(t[2].counts(view)), (Figures{0, 1, 0, 1}));
            EXPECT_EQ(t[0].counts(view).events(), 0u);
        }
        EXPECT_FALSE(has_record(loaded));
        EXPECT_FALSE(has_record(stored));
        EXPECT_EQ(recorder_counts().merged, 0u);
    });
}

// A table that the first thread made and all read: a first touch for each reader and nothing else; no record.
TEST(Private, ReadOnlyLines) {
    isolated([] {
        auto t = begin(5);
        for (u32 round = 0; round < 20; ++round) {
            for (const Actor& reader : t)
                for (u32 line = 0; line < 3; ++line)
                    const_cast<Actor&>(reader).load(kTouchedBefore + line * kLine + round % 16 * 4);
            if (round % 3 == 0) merge();
        }
        finish(t);
        for (View view : {View::Observed, View::Modelled})
            for (u32 i = 0; i < t.size(); ++i)
                EXPECT_EQ(figures(t[i].counts(view)), (Figures{0, i == 0 ? 0u : 3u, 0, 0})) << i;
        EXPECT_FALSE(has_record(kTouchedBefore));
        EXPECT_EQ(recorder_counts().merged, 0u);
    });
}

// A read-only line that a thread finally writes: all readers lose it, and have a coherence miss when they
// come back.
TEST(Private, ReadOnlyUntilWritten) {
    isolated([] {
        auto t = begin(3);
        for (u32 i = 1; i <= 3; ++i) t[i].load(kTouchedBefore);
        merge();
        t[1].wait_until(100);
        t[1].store(kTouchedBefore + 8);
        for (u32 i = 0; i <= 3; ++i) {
            t[i].wait_until(200);
            t[i].load(kTouchedBefore);
        }
        finish(t);
        for (View view : {View::Observed, View::Modelled}) {
            EXPECT_EQ(figures(t[0].counts(view)), (Figures{0, 0, 1, 0}));
            EXPECT_EQ(figures(t[1].counts(view)), (Figures{0, 1, 0, 1}));
            EXPECT_EQ(figures(t[2].counts(view)), (Figures{0, 1, 1, 0}));
            EXPECT_EQ(figures(t[3].counts(view)), (Figures{0, 1, 1, 0}));
        }
        EXPECT_TRUE(has_record(kTouchedBefore));
    });
}

// ---- Lines that threads compete for

// Two threads that really ran one after the other and would have run in parallel: observed a handover,
// modelled a miss and an invalidation for nearly each increment.
TEST(Shared, ModelledBesideObserved) {
    isolated([] {
        auto t = begin(2);
        for (u32 i = 1; i <= 2; ++i)
            for (u32 round = 0; round < 1000; ++round) t[i].update(kMemory + i * 4);
        finish(t);
        EXPECT_EQ(figures_of_line(kMemory, View::Observed), (Figures{1, 1, 0, 1}));
        EXPECT_EQ(figures_of_line(kMemory), (Figures{1, 1, 1998, 1999}));
        EXPECT_EQ(recorder_counts().merged, 2000u);
        EXPECT_EQ(recorder_counts().forced, 0u);
    });
}

// Threads of which two have used a line, and the first one has it to itself for a million units.
static std::vector<Actor> begin_with_a_line_left_to_one() {
    auto t = begin(2);
    for (u32 round = 0; round < 10; ++round) {
        t[1].update(kMemory);
        t[2].update(kMemory + 8);
    }
    t[2].wait_until(1'000'000);
    t[0].wait_until(1'000'000);
    return t;
}

// What one thread does over and over while the merge follows.
template <typename F>
static void repeat_merged(F step) {
    for (u32 round = 0; round < 1000; ++round) {
        step();
        if (round % 50 == 0) merge();
    }
}

// A line that is left to one thread costs no merge after a while; when another thread comes, the accesses in
// between are known.
TEST(Shared, CalmsDownAndWakesUp) {
    isolated([] {
        auto t = begin_with_a_line_left_to_one();
        repeat_merged([&] { t[1].update(kMemory); });
        const u64 merged_before = recorder_counts().merged;
        EXPECT_LT(merged_before, 200u) << "calm lines do not go through the merge";
        repeat_merged([&] { t[1].store(kMemory + 16); });
        EXPECT_EQ(recorder_counts().merged, merged_before);
        const Figures before = figures_of_line(kMemory);
        t[2].load(kMemory + 16);
        t[1].wait_until(2'000'000);
        t[1].store(kMemory + 16);
        finish(t);
        Figures after = before;
        after.coherence += 1;
        after.invalidations += 1;
        EXPECT_EQ(figures_of_line(kMemory), after);
        // The load finds the bytes written while the line was calm.
        EXPECT_EQ(t[2].counts().true_misses, 1u);
        AccessCounts sum;
        const LineRow* row = find_line(kMemory / kLine);
        for (usize i = 0; i < row->ranges->size(); ++i) {
            sum.loads += (*row->ranges)[i].accesses.loads;
            sum.stores += (*row->ranges)[i].accesses.stores;
        }
        // Accesses that were read before the line calmed down and merged after are not counted.
        EXPECT_GT(sum.loads, 950u);
        EXPECT_GT(sum.stores, 1950u);
    });
}

// Bytes that the thread comes to after thousands of accesses to others do not get a part of these.
TEST(Shared, CalmLineTellsWhatIsUsedLate) {
    isolated([] {
        auto t = begin_with_a_line_left_to_one();
        repeat_merged([&] { t[1].update(kMemory); });
        t[1].load(kMemory + 16);
        t[1].load(kMemory + 32);
        t[2].load(kMemory + 40);
        finish(t);
        std::map<u32, AccessCounts> used;  // by first byte
        for (const RangeRow& range : *find_line(kMemory / kLine)->ranges)
            used[range.first].add(range.accesses);
        EXPECT_GT(used[0].loads, 950u);
        for (const u32 first : {16u, 32u}) {
            EXPECT_GE(used[first].loads, 1u) << first;
            EXPECT_LE(used[first].loads, 2u) << first;
        }
    });
}

// What a thread does to a calm line is only summed, but it is not taken to store to bytes that it reads, nor to use
// those between them.
TEST(Shared, CalmLineTellsWhatIsReadAndStored) {
    isolated([] {
        auto t = begin_with_a_line_left_to_one();
        repeat_merged([&] {
            t[1].update(kMemory);
            t[1].load(kMemory + 16);
            t[1].load(kMemory + 32);
        });
        EXPECT_LT(recorder_counts().merged, 200u);
        t[2].load(kMemory + 40);
        finish(t);
        const LineRow* row = find_line(kMemory / kLine);
        std::map<u32, AccessCounts> used;  // by first byte
        for (const RangeRow& range : *row->ranges) {
            EXPECT_EQ(range.bytes, 4) << range.first;
            used[range.first].add(range.accesses);
        }
        EXPECT_EQ(used.size(), 5u);
        EXPECT_GT(used[0].stores, 950u);
        for (const u32 first : {0u, 16u, 32u}) EXPECT_GT(used[first].loads, 950u) << first;
        for (const u32 first : {16u, 32u}) EXPECT_EQ(used[first].stores, 0u) << first;
    });
}

// Accesses of one thread: a load that misses also brings the line for a store within order::rules::kTogether instructions.
// Thread 2's store falls between: with the rule it comes after both.
TEST(Shared, LoadBringsTheLineForItsStore) {
    for (u32 distance : {u32{1}, u32{order::rules::kTogether}, u32{order::rules::kTogether} + 1}) {
        isolated([distance] {
            auto t = begin(2);
            t[0].compute(1000);
            t[1].store(kMemory + 32);  // at 0
            t[2].compute(10);
            t[2].store(kMemory + 32);  // at 10
            RecordBuilder b;
            b.instructions(49);
            b.load(kMemory);  // at 50, a coherence miss
            b.instructions(distance);
            b.store(kMemory);
            t[1].run(b);
            t[2].wait_until(51);  // at the time of the store or earlier
            t[2].store(kMemory + 8);
            t[2].compute(1000);
            finish(t);
            const bool together = distance <= order::rules::kTogether;
            // With the rule thread 1 takes the line at once from thread 2, which has then lost it. Otherwise
            // the load shares it, thread 2's store takes it away, and thread 1's must fetch it again.
            EXPECT_EQ(figures(t[1].counts()), (together ? Figures{0, 0, 1, 1} : Figures{0, 0, 2, 1}))
                << distance;
            EXPECT_EQ(figures(t[2].counts()), (together ? Figures{0, 1, 1, 2} : Figures{0, 1, 0, 2}))
                << distance;
        });
    }
}

// Repeated loads of the same word with nothing between them take no time in code that waits without a hint;
// in other code, or from changing addresses, they are work.
TEST(Shared, LoopWithoutHintWaits) {
    enum class Loop { Waits, Works, Walks };
    for (const Loop loop : {Loop::Waits, Loop::Works, Loop::Walks}) {
        isolated([loop] {
            auto t = begin(2);
            t[0].wait_until(1'000'000);
            for (u32 round = 0; round < 20; ++round) {
                u64* at = t[2].strand->log_end();
                for (u32 i = 0; i < 50; ++i) {
                    RecordBuilder b;
                    if (loop != Loop::Works) b.may_spin();
                    b.instructions(4);
                    b.load(loop == Loop::Walks ? kMemory + i * 4 : kMemory);
                    at = b.write(at);
                }
                t[2].strand->read(at);
            }
            t[1].compute(300);
            t[1].store(kMemory);
            t[1].wait_until(1'000'000);
            t[2].load(kMemory);
            t[2].compute(1000);
            if (loop == Loop::Waits) {
                EXPECT_GE(t[2].now(), 1300u);
                EXPECT_LT(t[2].now(), 1400u);
            } else {
                EXPECT_GE(t[2].now(), 6000u);
            }
            finish(t);
        });
    }
}

// A call that takes a lock takes the same time, and has the same accesses, whether or not the thread had to look at the
// lock again and again: its first atomic update.
TEST(Shared, CallsOnLocksTakeAFixedTime) {
    isolated([] {
        constexpr Address lock = kMemory, inside = kMemory + kLine,
                          own[] = {kMemory + 2 * kLine, kMemory + 3 * kLine};
        auto t = begin(2);
        const CallPath call = threads::child_of(CallPath::Root, 0x500000);
        t[0].store(inside);
        for (u32 i = 0; i < 2; ++i) {
            Actor& actor = t[1 + i];
            RecordBuilder enter;
            enter.event(log::LockEvent::Acquire, lock);
            actor.run(enter, call);
            RecordBuilder update;
            update.load(lock + 4);
            update.instructions(5 + 20 * i);
            update.atomic_update(lock);
            update.instructions(i);
            update.store(lock + 8);
            actor.run(update, call);
            for (u32 round = 0; round < 100 * i; ++round) {
                RecordBuilder again;
                again.pauses(3, 0);
                again.load(inside);
                again.atomic_update(lock);
                actor.run(again, call);
            }
            actor.store(own[i]);
        }
        EXPECT_EQ(t[1].now(), t[2].now());
        EXPECT_LT(t[1].now(), 100u);
        finish(t);
        EXPECT_FALSE(has_record(inside));
        // The second one took the line from the first.
        EXPECT_EQ(figures_of_line(lock), (Figures{1, 1, 0, 1}));
    });
}

constexpr u32 kTake = 0, kGive = 1;  // instructions of a lock's code
void update_by(Actor& actor, Address word, u32 instruction) {
    RecordBuilder b;
    b.instructions(instruction);
    b.atomic_update(word);
    actor.run(b);
}

// Two threads use the word as a lock, often enough to know it as one.
void use_as_lock(Actor& one, Actor& other, Address word) {
    one.store(word);
    other.store(word);
    update_by(other, word, kGive);
    for (u32 turn = 0; turn < 8; ++turn) {
        Actor& holder = turn % 2 == 0 ? one : other;
        update_by(holder, word, kTake);
        if (turn == 6) update_by(other, word, kTake);  // in vain
        update_by(holder, word, kGive);
    }
}

// Threads update a condition variable's words as if they took and gave a lock. Only the code shows that it is none.
TEST(Shared, WordsOfConditionVariablesAreNoLocks) {
    for (const bool waits : {false, true}) {
        isolated([waits] {
            static AtomicCode code;
            code = waits ? AtomicCode::Wait : AtomicCode::Other;
            RecorderOptions options;
            options.atomic_code = [](const places::Place&) { return code; };
            auto t = begin(2, options);
            use_as_lock(t[1], t[2], kMemory);
            EXPECT_EQ(clocks().is_held_as_lock(kMemory), !waits);
            finish(t);
        });
    }
}

// A word beside a lock turns out to be none. Updates of it do not hide what threads do to the lock.
TEST(Shared, LocksAreFollowedBesideWordsThatAreNone) {
    isolated([] {
        RecorderOptions options;
        options.atomic_code = [](const places::Place&) { return AtomicCode::Other; };
        auto t = begin(2, options);
        constexpr Address lock = kMemory, none = kMemory + 8;
        use_as_lock(t[1], t[2], lock);
        ASSERT_TRUE(clocks().is_held_as_lock(lock));
        // More places than take a lock, in no order.
        for (u32 i = 0; i < 1000; ++i) update_by(t[1 + i * i % 3 % 2], none, 10 + i * 7 % 13);
        for (u32 turn = 0; turn < 20; ++turn) {
            update_by(t[1], lock, kTake);
            update_by(t[2], none, 10);
            update_by(t[1], lock, kGive);
        }
        const Time before = t[2].now();
        update_by(t[2], lock, kTake);
        update_by(t[2], lock, kGive);
        for (u32 i : {1, 2}) t[i].compute(50'000);
        update_by(t[1], lock, kTake);
        update_by(t[1], lock, kGive);
        finish(t);
        EXPECT_LT(virtual_end().end, before + 60'000) << "the second thread does not wait for the first one's end";
    });
}

// The loader looks a function up at the first call, for all threads: whoever comes first loses no time by that, and
// what the loader accesses is not the program's.
TEST(Shared, TheLoadersLookUpsAreNoAccesses) {
    isolated([] {
        constexpr Address tables = kMemory, own[] = {kMemory + kLine, kMemory + 2 * kLine};
        auto t = begin(2);
        const CallPath look_up = threads::child_of(CallPath::Root, 0x500000);
        t[0].store(tables);
        RecordBuilder enter;
        enter.event(log::LockEvent::Resolve, 3);
        t[1].run(enter, look_up);
        RecordBuilder found;
        found.load(tables);
        found.instructions(1000);
        found.atomic_update(tables);
        t[1].run(found, look_up);
        for (u32 i = 0; i < 2; ++i) t[1 + i].store(own[i]);
        EXPECT_EQ(t[1].now(), t[2].now() + 1) << "the record of the entry has an instruction here";
        finish(t);
        EXPECT_FALSE(has_record(tables));
    });
}

// Accesses that cross lines, that are behind a taken side exit, or behind a false condition.
TEST(Shared, WhatWasNotReachedDidNotHappen) {
    isolated([] {
        auto t = begin(2);
        t[1].store(kMemory + 60, 8);  // two lines
        t[2].wait_until(100);
        RecordBuilder b;
        b.guards_fail(true);
        b.access(kMemory, 4, false, true, RecordBuilder::Way::Guarded);
        b.guards_fail(false);
        b.side_exit(true);
        b.instructions();
        b.access(kMemory, 4, false, true);
        t[2].run(b);
        EXPECT_EQ(t[2].now(), 101u);
        merge();
        EXPECT_FALSE(has_record(kMemory));
        t[2].load(kMemory + 60, 8);
        finish(t);
        EXPECT_EQ(figures(t[2].counts()), (Figures{0, 2, 0, 0}));
        EXPECT_EQ(thread_row(t[2].self).accesses.loads, 1u);
        EXPECT_EQ(thread_row(t[2].self).accesses.stores, 0u);
    });
}

// ---- The log and its threads

// Thread 1 runs ahead until the log is full: it is merged all the same, thread 2 is raised, and both are
// reported.
TEST(Log, FullForcesTheHorizon) {
    isolated([] {
        RecorderOptions options;
        options.log_chunks = 20;
        auto t = begin(2, options);
        t[0].wait_until(1'000'000'000);
        t[2].store(kMemory + 8);
        bool told_to_yield = false;
        for (u32 chunk = 0; chunk < 60; ++chunk) {
            u64* at = t[1].strand->log_end();
            while ((reinterpret_cast<u64>(at) & log::kFullBit) == 0) {
                RecordBuilder b;
                b.update(kMemory);
                at = b.write(at);
            }
            t[1].strand->read(at);
            told_to_yield |= renew_chunk(*t[1].strand);
            ASSERT_LE(log::chunks_taken(), 20u);
        }
        EXPECT_TRUE(told_to_yield) << "others should have been given a chance";
        EXPECT_GT(recorder_counts().forced, 0u);
        EXPECT_GT(recorder_counts().lifted, 0u);
        EXPECT_GT(t[2].now(), 1000u) << "nothing happens before what has been merged";
        const u64 accesses = thread_row(t[1].self).accesses.stores;
        t[2].store(kMemory + 8);
        finish(t);
        EXPECT_EQ(thread_row(t[1].self).accesses.stores, accesses);
        EXPECT_EQ(t[2].counts().misses(), 2u) << "its second store finds the line gone";
    });
}

// Threads that keep step never fill the log, however long they run.
TEST(Log, InStepIsNeverFull) {
    isolated([] {
        RecorderOptions options;
        options.log_chunks = 24;
        auto t = begin(1, options);
        for (u32 chunk = 0; chunk < 100; ++chunk)
            for (Actor& actor : t) {
                u64* at = actor.strand->log_end();
                while ((reinterpret_cast<u64>(at) & log::kFullBit) == 0) {
                    RecordBuilder b;
                    b.update(kMemory + actor.self.slot * 4);
                    at = b.write(at);
                }
                actor.strand->read(at);
                renew_chunk(actor.strand[0]);
            }
        finish(t);
        EXPECT_EQ(recorder_counts().forced, 0u);
        const u64 stores = thread_row(t[0].self).accesses.stores + thread_row(t[1].self).accesses.stores;
        EXPECT_EQ(t[0].counts().invalidations + t[1].counts().invalidations, stores - 1);
    });
}

// A thread's accesses from before its end are merged when the others have got that far, and only then is its
// slot free.
TEST(Log, ThreadsThatAreGone) {
    isolated([] {
        auto t = begin(2);
        t[1].compute(500);
        t[1].update(kMemory);
        t[1].exit();
        merge();
        EXPECT_TRUE(merged_threads.empty());
        t[2].compute(400);
        t[2].update(kMemory);
        t[0].compute(1000);
        merge();
        EXPECT_TRUE(merged_threads.empty()) << "thread 2 may still come in before";
        t[2].compute(1000);
        merge();
        EXPECT_EQ(merged_threads, (std::vector<u32>{2}));
        // The next thread in that slot is another thread.
        Actor next = start(1, &t[0]);
        next.update(kMemory);
        t.erase(t.begin() + 1);
        t.push_back(next);
        finish(t);
        EXPECT_EQ(figures(next.counts()), (Figures{0, 1, 0, 1}));
        EXPECT_EQ(figures_of_line(kMemory), (Figures{1, 2, 0, 2}));
        const std::set<u32> all(merged_threads.begin(), merged_threads.end());
        EXPECT_EQ(all, (std::set<u32>{1, 2, 3, 4}));
    });
}

// Memory with a new owner: earlier accesses belong to the old object, even if they are merged after the
// change.
TEST(Log, RetiredMemory) {
    isolated([] {
        auto t = begin(2);
        const ObjectId old_object = places::find_extent(kMemory).object;
        for (u32 round = 0; round < 10; ++round) {
            t[1].update(kMemory);
            t[2].update(kMemory + 4);
        }
        retire(kMemory, kMemory + 8);
        owners_before[kMemory / 8] = 1;
        const ObjectId new_object = places::find_extent(kMemory).object;
        ASSERT_NE(old_object, new_object);
        t[1].wait_until(1000);
        t[2].wait_until(1000);
        for (u32 round = 0; round < 3; ++round) {
            t[1].update(kMemory);
            t[2].update(kMemory + 4);
        }
        finish(t);
        std::map<u32, u64> invalidations, accesses;
        std::pair context{&invalidations, &accesses};
        for_each_row(
            [](const SharingRow& row, void* to) {
                auto& [events, all] = *static_cast<decltype(context)*>(to);
                (*events)[static_cast<u32>(row.object)] += row.counts[1].invalidations;
                (*all)[static_cast<u32>(row.object)] += row.accesses.all();
            },
            &context);
        EXPECT_EQ(invalidations[static_cast<u32>(old_object)], 19u);
        EXPECT_EQ(invalidations[static_cast<u32>(new_object)], 6u);
        EXPECT_EQ(accesses[static_cast<u32>(old_object)], 40u);
        EXPECT_EQ(accesses[static_cast<u32>(new_object)], 12u);
    });
}

// Lines that one thread had to itself are untouched again when memspy's heap hands their memory out, if the merge is behind
// what the thread did to them. Only whole lines are.
TEST(Log, ReusedMemoryBeginsAnew) {
    isolated([] {
        auto t = begin(2);
        const auto line = [](u32 number) { return kMemory + number * kLine; };
        for (u32 number = 0; number < 3; ++number) t[1].update(line(number));
        retire(line(0), line(4));
        for (Actor& actor : t) actor.compute(1000);
        merge();
        t[1].update(line(3));  // not merged yet
        begin_anew(line(0), line(2) + 8);
        begin_anew(line(3), line(4));
        for (u32 number = 0; number < 4; ++number) t[2].update(line(number));
        finish(t);
        for (u32 number = 0; number < 2; ++number) EXPECT_EQ(figures_of_line(line(number)), Figures{}) << number;
        for (u32 number = 2; number < 4; ++number)
            EXPECT_EQ(figures_of_line(line(number)), (Figures{1, 1, 0, 1})) << number;
    });
}

// What a thread that has ended had to itself on its stack is untouched again for the thread that gets the stack, and what is
// still to be merged of it has no effect, whoever comes to the lines then. Lines that others used are as they were.
TEST(Log, StackBeginsAnew) {
    const auto line = [](u32 number) { return kMemory + number * kLine; };
    constexpr Figures kHandedOver{1, 1, 0, 1};
    const auto run = [&](bool ends, bool merges, bool again) {
        auto t = begin(2);
        for (u32 number = 1; number < 5; ++number) t[1].update(line(number));
        t[0].update(line(3));
        t[1].compute(1000);
        if (ends) t[1].exit();
        if (merges) {
            for (const u32 other : {0, 2}) t[other].compute(5000);
            merge();
        }
        Actor next = start(3, &t[0]);
        begin_on_stack_of(again ? next.self.serial : t[1].self.serial, line(4) + 8);
        for (u32 number = 1; number < 5; ++number) next.update(line(number));
        t[2].compute(9000);
        t[2].update(line(1));
        if (ends) t.erase(t.begin() + 1);
        t.push_back(next);
        finish(t);
    };
    for (const bool merges : {false, true})
        isolated([&] {
            run(true, merges, false);
            EXPECT_EQ(figures_of_line(line(1)), kHandedOver) << "from the new thread";
            EXPECT_EQ(figures_of_line(line(2)), Figures{});
            EXPECT_EQ(figures_of_line(line(3)), (Figures{1, 2, 0, 2})) << "used by another one";
            // It inherits what is above the stack from a thread whose accesses are merged.
            EXPECT_EQ(figures_of_line(line(4)), merges ? Figures{} : kHandedOver) << "above the stack";
        });
    isolated([&] {
        run(false, false, false);
        EXPECT_EQ(figures_of_line(line(2)), kHandedOver) << "it has not ended";
    });
    isolated([&] {
        run(true, false, true);
        EXPECT_EQ(figures_of_line(line(2)), kHandedOver) << "not its stack";
    });
}

// Threads of one phase after another go on with what those of the phase before leave: no line gets a record, and each thread's
// first touch and first store are counted. So are those of the first thread, to which lines come back that were its own once.
TEST(Log, ThreadsInheritFromThoseThatAreGone) {
    for (const Address line : {kMemory, kTouchedBefore})
        isolated([line] {
            auto t = begin(0);
            const auto phase = [&](u32 slot, bool stores) {
                Actor heir = start(slot, &t[0]);
                heir.load(line);
                if (stores) heir.store(line);
                heir.exit();
                for (const View view : {View::Modelled, View::Observed}) {
                    t[0].wait_until(heir.now() + 1);
                    merge();
                    const bool is_first = line == kMemory && slot == 1;
                    EXPECT_EQ(figures(heir.counts(view)), (Figures{0, is_first ? 0u : 1u, 0, stores && !is_first ? 1u : 0u}))
                        << slot << (view == View::Observed ? ", observed" : ", modelled");
                }
            };
            phase(1, true);
            phase(2, true);
            phase(3, false);
            phase(4, true);
            t[0].update(line);
            EXPECT_FALSE(has_record(line));
            Actor other = start(5, &t[0]);
            other.compute(5000);
            other.update(line);
            EXPECT_FALSE(has_record(line));
            t[0].compute(9000);
            t[0].update(line);
            EXPECT_TRUE(has_record(line)) << "both live";
            t.push_back(other);
            finish(t);
            for (const View view : {View::Modelled, View::Observed}) {
                EXPECT_EQ(figures(t[0].counts(view)), line == kMemory ? (Figures{0, 1, 1, 2}) : (Figures{0, 0, 2, 2}));
                EXPECT_EQ(figures(other.counts(view)), (Figures{0, 1, 0, 1}));
            }
        });
}

// A line goes from thread to thread, and the first thread looks at it between any two of these: it is touched for the first time
// only once.
TEST(Log, AnInheritedLineIsColdOnce) {
    isolated([] {
        auto t = begin(0);
        for (u32 slot = 1; slot < 6; ++slot) {
            Actor heir = start(slot, &t[0]);
            heir.update(kMemory);
            heir.exit();
            t[0].wait_until(heir.now() + 1);
            merge();
            t[0].load(kMemory);
        }
        finish(t);
        EXPECT_FALSE(has_record(kMemory));
        for (const View view : {View::Modelled, View::Observed}) {
            u64 cold = 0;
            for (u32 serial = 1; serial < 7; ++serial)
                cold += find_thread(serial)->counts[static_cast<u32>(view)].cold;
            EXPECT_EQ(cold, 1u);
        }
    });
}

// The lines below the stack pointer with which a thread begins are its own, and its accesses to them are passed from the first
// one on. What others have touched is not its own. Who comes to one of its lines meets it as if it had used the line.
TEST(Passing, AThreadsFirstLinesOnItsStack) {
    isolated([] {
        log::quiet_lines().initialise(kLine);
        auto t = begin(1);
        const auto line = [](u32 number) { return kMemory + number * kLine; };
        t[1].store(line(2));
        t.push_back(start(3, &t[0]));
        Actor& on_stack = t.back();
        begin_on_stack(on_stack.self, line(4) + 8);
        EXPECT_TRUE(on_stack.passes(line(3), true));
        EXPECT_TRUE(on_stack.passes(line(1)));
        EXPECT_FALSE(on_stack.passes(line(2))) << "used by another one";
        EXPECT_FALSE(on_stack.passes(line(4))) << "above the stack";
        on_stack.store(line(4));
        t[1].compute(1000);
        t[1].update(line(3));
        finish(t);
        EXPECT_EQ(figures_of_line(line(1)), Figures{});
        EXPECT_EQ(figures_of_line(line(3)), (Figures{1, 1, 0, 1}));
        EXPECT_EQ(figures_of_line(line(4)), Figures{});
    });
}

// Records of a thread that runs alone come in long stretches, whole chunks of the log; those of parallel
// threads one by one.
TEST(Log, StretchesInOrder) {
    isolated([] {
        auto t = begin(1);
        const auto run = [](Actor& actor, u32 id) {
            u64* at = actor.strand->log_end();
            for (u32 i = 0; i < 100; ++i) {
                RecordBuilder b;
                b.update(kMemory + actor.self.slot * kLine);
                at = b.write(at, CallPath{id + i});
            }
            actor.strand->read(at);
        };
        run(t[0], 0);
        run(t[1], 1000);
        t[1].exit();
        run(t[0], 100);
        run(t[0], 200);
        merge();
        EXPECT_EQ(told.size(), 400u);
        EXPECT_EQ(told_stretches, 201u);
        for (u32 i = 0; i < 200; ++i)
            EXPECT_EQ(told[i], (std::pair<u32, u32>(i % 2 + 1, i % 2 * 1000 + i / 2)));
        for (u32 i = 200; i < 400; ++i) EXPECT_EQ(told[i], (std::pair<u32, u32>(1, i - 100)));
    });
}

// In a forked child only the thread that forked continues: the others' records are no longer merged, counts
// start again, and its accesses to lines of threads that are gone are counted.
TEST(Log, ForgetOthers) {
    isolated([] {
        auto t = begin(2);
        for (u32 round = 0; round < 100; ++round)
            for (u32 i = 1; i <= 2; ++i) t[i].update(kMemory + i * 4);
        t[2].store(kMemory + kLine);
        clocks().forget_others(t[1].self);
        forget_others(t[1].strand);
        reset();
        EXPECT_EQ(recorder_counts().merged, 0u);
        t = {t[1]};
        for (u32 round = 0; round < 100; ++round) t[0].update(kMemory + 4);
        Actor child = start(2, &t[0]);
        t.push_back(child);
        for (u32 round = 0; round < 100; ++round)
            for (Actor& actor : t) actor.update(kMemory + 128 + actor.self.slot * 4);
        t[0].store(kMemory + kLine);
        finish(t);
        EXPECT_EQ(figures_of_line(kMemory + 128).invalidations, 199u);
        EXPECT_LE(figures_of_line(kMemory).invalidations, 1u);
        EXPECT_EQ(t[0].counts().invalidations + t[1].counts().invalidations,
                  total(View::Modelled).invalidations);
        EXPECT_EQ(thread_row(t[0].self).accesses.stores, 201u);
    });
}

// ---- Random programs

namespace {

// The definitions, over all accesses of all threads.
class Plain {
public:
    struct Part {
        u32 thread;
        u64 line;
        bool loads, stores;
    };
    void had_before(u64 line, u32 thread) { lines_[line] = {{thread}, {thread}}; }
    // Returns the number of misses (0 or 1).
    u32 apply(const Part& part) {
        Line& line = lines_[part.line];
        Figures& by_thread = threads[part.thread];
        Figures& by_line = per_line[part.line];
        u32 missed = 0;
        if (!line.holders.contains(part.thread)) {
            missed = 1;
            u64 Figures::*kind = line.ever.empty()                 ? &Figures::cold
                                 : line.ever.contains(part.thread) ? &Figures::coherence
                                                                   : &Figures::first;
            ++(by_thread.*kind);
            ++(by_line.*kind);
            line.holders.insert(part.thread);
            line.ever.insert(part.thread);
        }
        if (part.stores && line.holders.size() > 1) {
            ++by_thread.invalidations;
            ++by_line.invalidations;
            line.holders = {part.thread};
        }
        return missed;
    }
    std::map<u32, Figures> threads;
    std::map<u64, Figures> per_line;

private:
    struct Line {
        std::set<u32> holders, ever;
    };
    std::map<u64, Line> lines_;
};

struct Planned {
    Address a = 0;
    u32 bytes = 0, ordinal = 0;
    bool loads = false, stores = false;
};
struct PlannedRecord {
    u32 thread = 0;
    Time time = 0;
    std::vector<Planned> accesses;
};

// The modelled order: each access when its thread comes to it; but a store for which a load brought the line
// comes with the load.
void model(const std::vector<PlannedRecord>& records, u64 line_bytes, Plain& plain) {
    struct Item {
        Time time;
        u32 thread;
        usize record, access;
        auto key() const { return std::tuple(time, thread, record, access); }
    };
    std::vector<Item> items;
    std::vector<std::vector<bool>> done(records.size());
    for (usize r = 0; r < records.size(); ++r) {
        done[r].resize(records[r].accesses.size());
        for (usize i = 0; i < records[r].accesses.size(); ++i)
            items.push_back({records[r].time + records[r].accesses[i].ordinal, records[r].thread, r, i});
    }
    std::sort(items.begin(), items.end(), [](const Item& a, const Item& b) { return a.key() < b.key(); });
    for (const Item& item : items) {
        const PlannedRecord& record = records[item.record];
        const Planned& access = record.accesses[item.access];
        if (done[item.record][item.access]) continue;
        for (u64 line = access.a / line_bytes; line <= (access.a + access.bytes - 1) / line_bytes; ++line) {
            const u32 missed = plain.apply({record.thread, line, access.loads, access.stores});
            if (missed == 0 || access.stores) continue;
            for (usize i = item.access + 1; i < record.accesses.size(); ++i) {
                const Planned& next = record.accesses[i];
                if (next.ordinal > access.ordinal + order::rules::kTogether) break;
                const u64 first = next.a / line_bytes, last = (next.a + next.bytes - 1) / line_bytes;
                if (done[item.record][i] || first > line || last < line) continue;
                if (!next.stores || first != last) break;
                done[item.record][i] = true;
                plain.apply({record.thread, line, next.loads, next.stores});
                break;
            }
        }
    }
}

struct RandomKind {
    u32 line_bytes = 64;
    bool from_before = false;    // lines that the first thread had touched before
    // The first thread touches none of them, and no thread ends: so all that happens on a line is known of the line.
    bool without_first = false;
    bool long_quiet = false;     // long runs of one thread, so that lines calm down
    u32 latency = 0;
};

// A random program: threads with clocks of their own, run in random slices, merged now and then.
void random_program(u32 seed, const RandomKind& kind) {
    std::mt19937 random(seed);
    auto pick = [&](u32 below) { return static_cast<u32>(random() % below); };
    const u64 line_bytes = kind.line_bytes;
    RecorderOptions options;
    options.line_bytes = kind.line_bytes;
    options.log_chunks = 4096;
    const u32 most = 1 + pick(6);
    std::vector<Actor> living = begin(0, options), all = living;
    const u32 lines = 1 + pick(6);
    std::vector<Address> memory;
    Plain observed, modelled;
    for (u32 i = 0; i < lines; ++i) {
        // Some lines are neighbours, so that accesses cross from one to the other.
        const bool before = kind.from_before && pick(2) == 0;
        const Address a = (before ? kTouchedBefore : kMemory) + (2 * pick(4) + pick(2)) * line_bytes;
        memory.push_back(a);
    }
    for (u64 line = kTouchedBefore / line_bytes; line < kTouchedBefore / line_bytes + 16; ++line) {
        observed.had_before(line, 1);
        modelled.had_before(line, 1);
    }
    std::vector<PlannedRecord> records;
    std::vector<std::tuple<Time, u32, u32>> in_time;  // all records: time, thread, number
    std::map<u32, AccessCounts> accesses;
    std::set<u32> slots{0};
    const u32 steps = 5 + pick(kind.long_quiet ? 60 : 40);
    for (u32 step = 0; step < steps; ++step) {
        Actor& actor = living[pick(static_cast<u32>(living.size()))];
        // A thread's taste: mostly one line, or all.
        const u32 count = kind.long_quiet ? 1 + pick(30) : pick(8);
        const Address favourite = memory[pick(lines)];
        for (u32 i = 0; i < count; ++i) {
            RecordBuilder b(kind.line_bytes);
            PlannedRecord planned;
            planned.thread = actor.self.serial;
            const u32 before = pick(4) == 0 ? pick(50) : 0;
            b.pauses(before, pick(6) == 0 ? pick(50) : 0);
            planned.time = actor.now() + before;
            u32 ordinal = 0;
            bool left = false;
            u8 base = log::kNoWord;
            u32 bases = 0;
            const u32 uses = kind.without_first && actor.self.serial == 1 ? 0 : pick(8);
            for (u32 use = 0; use < uses; ++use) {
                const u32 pause = pick(5) == 0 ? pick(30) : pick(3);
                b.instructions(pause);
                if (!left) ordinal += pause;
                if (pick(12) == 0) {
                    const bool taken = pick(3) == 0;
                    b.side_exit(taken);
                    left = left || taken;
                }
                const u32 bytes = 1u << pick(5);
                const Address from = kind.long_quiet || pick(3) != 0 ? favourite : memory[pick(lines)];
                Address a = from + pick(static_cast<u32>(line_bytes / bytes)) * bytes;
                if (pick(15) == 0) a += bytes / 2;
                const u32 what = pick(4);  // loads are more frequent
                const bool loads = what != 1, stores = what != 0 && what != 3;
                auto way = static_cast<RecordBuilder::Way>(pick(3));
                if (way == RecordBuilder::Way::Based && (bases == 0 || pick(3) == 0)) {
                    base = b.base(a);
                    ++bases;
                }
                const bool fails = way == RecordBuilder::Way::Guarded && pick(4) == 0;
                b.guards_fail(fails);
                b.access(a, bytes, loads, stores, way, base);
                b.guards_fail(false);
                // Accesses behind a taken exit have no word: a base that was first written there is missing.
                if (left || fails) continue;
                planned.accesses.push_back({a, bytes, ordinal, loads, stores});
                accesses[planned.thread].loads += loads;
                accesses[planned.thread].stores += stores;
            }
            const u32 pause = pick(4);
            b.instructions(pause);
            const u32 number = static_cast<u32>(in_time.size());
            in_time.emplace_back(planned.time, planned.thread, number);
            actor.run(b, CallPath{number});
            for (const Planned& access : planned.accesses)
                for (u64 line = access.a / line_bytes; line <= (access.a + access.bytes - 1) / line_bytes;
                     ++line)
                    observed.apply({planned.thread, line, access.loads, access.stores});
            if (!planned.accesses.empty()) records.push_back(planned);
            if (pick(20) == 0) renew_chunk(*actor.strand);
        }
        const u32 what = pick(10);
        if (what == 0) actor.wait_until(actor.now() + pick(60));
        if (what == 1) actor.wait_until(living[pick(static_cast<u32>(living.size()))].now());
        if (what <= 4 && all.size() < most) {
            u32 slot = 0;
            while (slots.contains(slot)) ++slot;
            slots.insert(slot);
            Actor child = start(slot, &actor);
            all.push_back(child);
            living.push_back(child);
        } else if (what == 5 && living.size() > 1 && !kind.without_first) {
            const usize leaves = pick(static_cast<u32>(living.size()));
            living[leaves].exit();
            living.erase(living.begin() + static_cast<std::ptrdiff_t>(leaves));
        }
        if (pick(3) == 0) {
            merge();
            for (u32 serial : merged_threads)
                for (const Actor& gone : all)
                    if (gone.self.serial == serial) slots.erase(gone.self.slot);
            merged_threads.clear();
        }
    }
    finish(living);
    std::sort(in_time.begin(), in_time.end());
    ASSERT_EQ(told.size(), in_time.size());
    for (usize i = 0; i < told.size(); ++i)
        ASSERT_EQ(told[i], std::pair(std::get<1>(in_time[i]), std::get<2>(in_time[i])))
            << "record " << i << " in the replay's order";
    model(records, line_bytes, modelled);
    for (const Actor& actor : all) {
        Figures expected = observed.threads[actor.self.serial];
        expected.cold = 0;
        ASSERT_EQ(figures(actor.counts(View::Observed)), expected)
            << "observed, thread " << actor.self.serial;
        expected = modelled.threads[actor.self.serial];
        expected.cold = 0;
        ASSERT_EQ(figures(actor.counts(View::Modelled)), expected)
            << "modelled, thread " << actor.self.serial;
        ASSERT_EQ(thread_row(actor.self).accesses.loads, accesses[actor.self.serial].loads);
        ASSERT_EQ(thread_row(actor.self).accesses.stores, accesses[actor.self.serial].stores);
    }
    // Cold misses are only counted for lines with a record; lines handed over from the first thread, or from threads that
    // are gone, need none.
    for (auto& [line, expected] : modelled.per_line) {
        if (!kind.without_first || !has_record(line * line_bytes)) continue;
        ASSERT_EQ(figures_of_line(line * line_bytes), expected) << "line " << std::hex << line * line_bytes;
        ASSERT_EQ(figures_of_line(line * line_bytes, View::Observed), observed.per_line[line])
            << "observed, line " << std::hex << line * line_bytes;
    }
    for (View view : {View::Observed, View::Modelled}) {
        const CoherenceCounts sum = total(view);
        ASSERT_EQ(sum.true_misses + sum.false_misses, sum.misses());
        ASSERT_EQ(sum.true_invalidations + sum.false_invalidations, sum.invalidations);
    }
    ASSERT_EQ(recorder_counts().forced, 0u);
}

void random_programs(u32 count, const RandomKind& kind, u32 first = 0) {
    std::string failed;
    u32 failures = 0;
    for (u32 seed = first; seed < first + count; ++seed)
        if (!passes_alone([&] { random_program(seed, kind); }) && ++failures <= 10)
            failed += " " + std::to_string(seed);
    EXPECT_EQ(failures, 0u) << "of " << count << "; seeds" << failed << (failures > 10 ? " ..." : "");
}

}  // namespace

TEST(Random, WithoutFirst) { random_programs(600, {.without_first = true}); }
TEST(Random, WithoutFirstQuiet) { random_programs(600, {.without_first = true, .long_quiet = true}); }
TEST(Random, FewLines) { random_programs(600, {}); }
TEST(Random, LongQuietRuns) { random_programs(600, {.long_quiet = true}); }
TEST(Random, FromBefore) { random_programs(1500, {.from_before = true}, 1500); }
TEST(Random, SmallLines) { random_programs(200, {.line_bytes = 16}); }
TEST(Random, LargeLines) { random_programs(200, {.line_bytes = 256, .long_quiet = true}); }
