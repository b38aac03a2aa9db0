// SPDX-License-Identifier: GPL-2.0-or-later
//
// Consumers of the access log get all records of all threads, each thread's in order and once, from the time
// on that they ask for. The keeper gives their memory from the second thread on. A consumer that wants records in the
// replay's order gets them at once as long as no keeper is in charge; otherwise it gets them when the keeper
// passes them on, and sees them in advance as foreseen. The log is literal: the writer here has a cursor for
// each thread and puts records there.
#include "log/consumer.h"

#include <gtest/gtest.h>

#include <map>
#include <string>
#include <vector>

#include "log/keeper.h"
#include "log/stations.h"
#include "log_source.h"

namespace memspy::log {
namespace {

using threads::Thread;

std::map<u32, u64*> cursors;
std::vector<bool> switches;
std::vector<std::string> early, late;  // events passed to the two consumers
std::vector<std::string> in_order, before;  // and to one that wants records in order

void tell(std::vector<std::string>& to, const char* what, Thread t) {
    to.push_back(what + std::to_string(t.serial));
}

void tell_records(std::vector<std::string>& to, Thread t, const u64* first, const u64* end) {
    for_each_record(first, end, [&](const Record& record, const Shape& of) {
        for_each_access(record, of, [&](const AccessUse& use, Address a) {
            to.push_back((use.stores ? "store" : "load") + std::to_string(t.serial) + " " + std::to_string(a) + "+" +
                         std::to_string(use.bytes) + " after " + std::to_string(record.time));
        });
    });
    if (end[1] != 0) to.push_back("pause" + std::to_string(t.serial) + " " + std::to_string(end[1]));
}

constexpr Consumer kEarly = {
    .from_start = true,
    .begin = [](Thread t) { tell(early, "begin", t); },
    .records = [](Thread t, const u64* first, const u64* end) { tell_records(early, t, first, end); },
    .thread_gone = [](Thread t) { tell(early, "gone", t); },
    .forked = [](Thread t) { tell(early, "forked", t); }};

constexpr Consumer kInOrder = {
    .from_start = true,
    .ordered = [](Thread t, const u64* first, const u64* end) { tell_records(in_order, t, first, end); },
    .foreseen = [](Thread t, const u64* first, const u64* end) { tell_records(before, t, first, end); }};

// Keeps records: a chunk for each slot, and another one when it is full.
std::map<u32, Chunk*> rooms;
std::map<u32, u64*> kept_to;
std::vector<std::string> alone;  // the keeper sees what is logged before it is in charge
constexpr Consumer kTold = {
    .begin =
        [](Thread t) {
            tell(late, "begin", t);
            rooms[t.slot] = take_chunk();
            kept_to[t.slot] = rooms[t.slot]->begin;
        },
    .records =
        [](Thread t, const u64* first, const u64* end) {
            EXPECT_EQ(first, kept_to[t.slot]);
            tell_records(late, t, first, end);
            kept_to[t.slot] = const_cast<u64*>(end);
            kept_to[t.slot][1] = 0;  // the pause has been taken
        },
    .thread_gone = [](Thread t) { tell(late, "gone", t); },
    .forked = [](Thread t) { tell(late, "forked", t); }};
constexpr Keeper kLate = {
    .told = kTold,
    .alone = [](Thread t, const u64* first, const u64* end) { tell_records(alone, t, first, end); },
    .room = [](Thread t) { return kept_to[t.slot]; },
    .renew =
        [](Thread t) {
            rooms[t.slot] = take_chunk();
            kept_to[t.slot] = rooms[t.slot]->begin;
            return true;
        }};

class Program {
public:
    Program() : events_(thread_events()) {
        limit_chunks(1000);
        attach(kInOrder);
        attach(kEarly);
        attach(kLate);
        start({.cursor = [](u32 guest) { return cursors[guest]; },
               .set_cursor = [](u32 guest, u64* at) { cursors[guest] = at; },
               .place = [](u32) { return places::Place{0x1234, {}}; },
               .write = [](bool on) { switches.push_back(on); },
               .is_enabled = [] { return true; },
               .line_bytes = 64,
               .futex = 202});
    }
    Thread create(Thread parent, u32 guest) {
        const Thread t{.slot = guest - 1, .serial = ++last_};
        events_.created(parent, t, guest);
        return t;
    }
    void run(Thread t, Address stored, u32 pause = 0, u32 after = 0) {
        const u32 guest = t.slot + 1;
        events_.started(t, guest, 0);
        write(guest, stored, pause, after);
        events_.stopped(t, guest);
    }
    void write(u32 guest, Address stored, u32 pause = 0, u32 after = 0) {
        RecordBuilder record;
        record.access(stored, 4, false, true, RecordBuilder::Way::Based, record.base(stored));
        record.pauses(pause, after);
        cursors[guest] = record.write(cursors[guest]);
    }
    const threads::ThreadListener& events() const { return events_; }

private:
    threads::ThreadListener events_;
    u32 last_ = 0;
};

using Told = std::vector<std::string>;

// One story in one process, because a process has one log.
TEST(Consumers, AreToldWhatTheyAskFor) {
    Program program;
    EXPECT_EQ(switches, std::vector<bool>{true});
    const Thread first = program.create({}, 1);
    program.run(first, 100, 3, 0);
    program.run(first, 200, 0, 5);
    EXPECT_EQ(early, (Told{"begin1", "store1 100+4 after 3", "store1 200+4 after 0", "pause1 5"}));
    EXPECT_EQ(late, Told{});
    EXPECT_EQ(alone, Told(early.begin() + 1, early.end()));
    EXPECT_EQ(in_order, Told(early.begin() + 1, early.end()));
    EXPECT_EQ(before, Told{});
    EXPECT_FALSE(is_kept());
    in_order.clear();

    // From the second thread on the other consumer gets events, too, and gives the memory.
    early.clear();
    alone.clear();
    const Thread second = program.create(first, 2);
    program.run(second, 300);
    program.run(first, 400, 2, 1);
    program.run(second, 500);
    const Told both = {"begin2", "store2 300+4 after 0", "store1 400+4 after 2", "pause1 1", "store2 500+4 after 0"};
    EXPECT_EQ(early, both);
    EXPECT_EQ(late.front(), "begin1");
    EXPECT_EQ(alone, Told{});
    EXPECT_EQ(Told(late.begin() + 1, late.end()), both);
    EXPECT_EQ(switches, std::vector<bool>{true});  // it was written all the time
    EXPECT_EQ(in_order, Told{});
    EXPECT_EQ(before, (Told{"store2 300+4 after 0", "store1 400+4 after 2", "store2 500+4 after 0"}));
    EXPECT_TRUE(is_kept());
    tell_in_order(second, rooms[1]->begin, kept_to[1]);
    EXPECT_EQ(in_order, (Told{"store2 300+4 after 0", "store2 500+4 after 0"}));

    // Accesses of a system call, except a futex's own word; long ranges in parts.
    early.clear();
    late.clear();
    program.events().before_call(first, 1, 0, nullptr);
    program.events().call_accessed(first, 1, 1000, 40'000, true);
    program.events().before_call(first, 1, 202, nullptr);
    program.events().call_accessed(first, 1, 2000, 4, true);
    program.events().call_accessed(first, 1, 2000, 4, false);
    const Told called = {"store1 1000+32768 after 0", "store1 33768+7232 after 0", "load1 2000+4 after 0"};
    EXPECT_EQ(early, called);
    EXPECT_EQ(late, called);

    // What a chunk has can be asked for at any time. A full one is passed on at once, and the thread continues in another.
    early.clear();
    late.clear();
    program.events().started(first, 1, 0);
    u64* const kept = cursors[1];
    program.write(1, 600);
    NextRoom next = chunk_full(1, cursors[1]);
    EXPECT_FALSE(next.yield);
    EXPECT_EQ(next.at, cursors[1]);
    EXPECT_EQ(early, Told{"store1 600+4 after 0"});
    early.clear();
    Told many;
    for (; (reinterpret_cast<u64>(cursors[1]) & kFullBit) == 0; many.push_back("store1 650+4 after 0")) program.write(1, 650);
    next = chunk_full(1, cursors[1]);
    EXPECT_TRUE(next.yield);
    EXPECT_NE(next.at, cursors[1]);
    EXPECT_EQ(reinterpret_cast<Record*>(kept)->words()[0], 600u);
    EXPECT_EQ(early, many);
    cursors[1] = next.at;
    early.clear();
    program.write(1, 700);
    program.events().stopped(first, 1);
    EXPECT_EQ(early, Told{"store1 700+4 after 0"});
    EXPECT_EQ(late.size(), many.size() + 2);

    // Ends.
    early.clear();
    late.clear();
    program.events().exited(second, 2);
    program.events().forked(first, 1);
    program.events().exited(first, 1);
    EXPECT_EQ(early, (Told{"gone2", "forked1", "gone1"}));
    EXPECT_EQ(late, early);
    EXPECT_EQ(switches, (std::vector<bool>{true, false}));
}

}  // namespace
}  // namespace memspy::log
