// SPDX-License-Identifier: GPL-2.0-or-later
//
// Merge, ownership and tally together give the counts of the definitions, whatever the slices and horizons in
// which the logs arrive: random traces with random clock edges against a plain simulator, which keeps all
// accesses, sorts them, and looks back through a line's whole history at each event.
#include "replay/simulation.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <memory>
#include <random>
#include <set>
#include <tuple>
#include <vector>

#include "contention_source.h"

namespace memspy::sharing {

using namespace lines;
using namespace replay;
namespace {


struct Timed {
    Time time = 0;
    u32 line = 0;
    LineAccess access;
};

// A thread's log. Accesses taken from it are applied to the world's lines and counted.
struct World;
struct Log {
    World* world = nullptr;
    Thread self;
    std::vector<Timed> accesses;
    usize taken = 0;
    bool blocked = false;

    Thread thread() const { return self; }
    bool waiting() const { return blocked && taken == accesses.size(); }
    bool next(Time horizon, replay::Step* step) const {
        if (taken == accesses.size() || accesses[taken].time >= horizon) return false;
        *step = {};
        step->time = accesses[taken].time;
        return true;
    }
    u32 consume();
};

// The code under test, for one trace.
struct World {
    std::map<u32, Ownership*> lines;
    std::vector<std::pair<u32, u32>> order;  // (serial, index in its log)
    replay::Simulation<Log> merge;
    CoherenceCounts sum;

    ~World() {
        for (auto& [number, line] : lines) release(line);
    }
};

u32 Log::consume() {
    const Timed& timed = accesses[taken];
    world->order.emplace_back(self.serial, static_cast<u32>(taken));
    ++taken;
    Ownership*& line = world->lines[timed.line];
    if (line == nullptr) line = make_ownership();
    LineTally* tally = make_line_tally(timed.line);
    count_access(*tally, self, ObjectId{1}, Place{}, timed.access);
    Events events = apply(line, self, timed.access);
    if (events.any()) charge(View::Modelled, *tally, self, ObjectId{1}, Place{}, events);
    bool miss = events.cold || events.first_touch || events.coherence;
    return (miss ? 1 : 0) + (events.invalidation ? 1 : 0);
}

// The definitions, literally. Time on a line is counted in half accesses: loads, then stores.
class Plain {
public:
    u32 access(u32 line_number, u32 t, const LineAccess& access) {
        Line& line = lines_[line_number];
        CoherenceCounts& by_thread = threads[t];
        CoherenceCounts& by_line = per_line[line_number];
        u32 events = 0;
        auto bump = [&](u64 CoherenceCounts::*counter) {
            ++(by_thread.*counter);
            ++(by_line.*counter);
        };
        u32 end = access.first + u32{access.bytes};
        if (!line.holders.count(t)) {
            ++events;
            if (line.history.empty()) {
                bump(&CoherenceCounts::cold);
            } else {
                bool before = line.lost.count(t) != 0;
                bump(before ? &CoherenceCounts::coherence_misses : &CoherenceCounts::first_touches);
                usize since = before ? line.lost[t] : 0;
                bool is_true = false;
                for (usize i = since; i < line.history.size(); ++i) {
                    const Use& use = line.history[i];
                    if (use.store && use.thread != t && use.first < end && access.first < use.end)
                        is_true = true;
                }
                bump(is_true ? &CoherenceCounts::true_misses : &CoherenceCounts::false_misses);
            }
        }
        std::set<u32> others = line.holders;
        others.erase(t);
        if (!line.holders.count(t)) {
            line.valid[t] = line.history.size();
            line.holders.insert(t);
        }
        if (access.loads) line.history.push_back({t, access.first, end, false});
        if (!access.stores) return events;
        if (!others.empty()) {
            ++events;
            bump(&CoherenceCounts::invalidations);
            bool is_true = false;
            for (u32 other : others)
                for (usize i = std::max(line.valid[other], line.taken); i < line.history.size(); ++i) {
                    const Use& use = line.history[i];
                    if (use.thread == other && use.first < end && access.first < use.end) is_true = true;
                }
            bump(is_true ? &CoherenceCounts::true_invalidations : &CoherenceCounts::false_invalidations);
            for (u32 other : others) line.lost[other] = line.history.size();
            line.holders = {t};
            line.taken = line.history.size();
        }
        line.history.push_back({t, access.first, end, true});
        return events;
    }

    std::map<u32, CoherenceCounts> threads, per_line;

private:
    struct Use {
        u32 thread, first, end;
        bool store;
    };
    struct Line {
        std::vector<Use> history;
        std::set<u32> holders;
        std::map<u32, usize> valid;  // time since which the copy is valid
        std::map<u32, usize> lost;   // time when the copy was last lost
        usize taken = 0;             // the last store that took ownership
    };
    std::map<u32, Line> lines_;
};

// All logs in one list in the order of virtual time; with a latency, always the earliest next access of all.
std::vector<std::pair<u32, u32>> plain_order(const std::vector<std::unique_ptr<Log>>& logs, u32 latency,
                                             Plain& plain) {
    std::vector<std::pair<u32, u32>> order;
    if (latency == 0) {
        std::vector<std::tuple<Time, u32, u32, const Timed*>> all;
        for (const auto& log : logs)
            for (u32 i = 0; i < log->accesses.size(); ++i)
                all.emplace_back(log->accesses[i].time, log->self.serial, i, &log->accesses[i]);
        std::sort(all.begin(), all.end());
        for (const auto& [time, serial, i, timed] : all) {
            order.emplace_back(serial, i);
            plain.access(timed->line, serial, timed->access);
        }
        return order;
    }
    std::vector<usize> at(logs.size());
    std::vector<Time> delay(logs.size());
    for (;;) {
        usize best = logs.size();
        for (usize i = 0; i < logs.size(); ++i) {
            if (at[i] == logs[i]->accesses.size()) continue;
            auto key = [&](usize j) {
                return std::pair(logs[j]->accesses[at[j]].time + delay[j], logs[j]->self.serial);
            };
            if (best == logs.size() || key(i) < key(best)) best = i;
        }
        if (best == logs.size()) return order;
        const Timed& timed = logs[best]->accesses[at[best]];
        order.emplace_back(logs[best]->self.serial, static_cast<u32>(at[best]++));
        delay[best] += Time{latency} * plain.access(timed.line, logs[best]->self.serial, timed.access);
    }
}

// A program that runs one thread at a time: slices, clock edges, threads that start, block and end. With a
// latency all threads exist from the start and none blocks, so that only the order is left to define.
class Program {
public:
    Program(u32 seed, u32 latency) : random_(seed), latency_(latency) {
        reset();
        world_.merge.set_latency(latency);
        lines_ = 1 + pick(3);
        line_bytes_ = pick(2) == 0 ? 16 : 64;
        u32 most = 1 + pick(8);
        start(nullptr);
        if (latency != 0)
            while (logs_.size() < most) start(nullptr);
        u32 steps = 3 + pick(30);
        for (u32 i = 0; i < steps; ++i) step(most);
        for (auto& actor : actors_) actor.log->blocked = true;
        world_.merge.run(~Time{0});
    }

    void check() {
        Plain plain;
        ASSERT_EQ(world_.order, plain_order(logs_, latency_, plain));
        for (const auto& log : logs_)
            ASSERT_EQ(thread_row(log->self).counts[1], plain.threads[log->self.serial])
                << "thread " << log->self.serial;
        CoherenceCounts sum;
        for (auto& [line, counts] : plain.per_line) {
            ASSERT_EQ(find_line(line)->counts[1], counts) << "line " << line;
            sum.add(counts);
        }
        ASSERT_EQ(total(View::Modelled), sum);
        u64 pair_events = 0;
        for_each_pair([](const PairRow& row, void* all) { *static_cast<u64*>(all) += row.events[1]; },
                      &pair_events);
        ASSERT_EQ(pair_events, sum.events());
    }

    usize early() const { return early_; }
    usize accesses() const { return world_.order.size(); }
    usize slots_again() const { return slots_again_; }

private:
    struct Actor {
        Log* log;
        Time clock;
        bool blocked = false, gone = false;
    };

    u32 pick(u32 below) { return static_cast<u32>(random_() % below); }

    void start(const Actor* parent) {
        u32 slot = 0;
        while (slots_.count(slot)) ++slot;
        slots_.insert(slot);
        slots_again_ += slot < highest_slot_;
        highest_slot_ = std::max(highest_slot_, slot + 1);
        auto log = std::make_unique<Log>();
        log->world = &world_;
        log->self = {slot, static_cast<u32>(logs_.size()) + 1};
        know_thread(log->self, parent ? parent->log->self.serial : 0, slot + 1);
        world_.merge.add(log.get());
        actors_.push_back({log.get(), parent ? parent->clock : 0});
        logs_.push_back(std::move(log));
    }

    Time horizon() const {
        Time least = ~Time{0};
        for (const Actor& actor : actors_)
            if (!actor.blocked && !actor.gone) least = std::min(least, actor.clock);
        return least;
    }

    void step(u32 most) {
        Actor& actor = actors_[pick(static_cast<u32>(actors_.size()))];
        if (actor.gone) return merge();
        if (actor.blocked) {  // goes on at the horizon, or at its waker's time
            const Actor& waker = actors_[pick(static_cast<u32>(actors_.size()))];
            if (waker.blocked || waker.gone) return;
            actor.clock = std::max({actor.clock, horizon(), pick(2) == 0 ? waker.clock : 0});
            actor.blocked = actor.log->blocked = false;
        }
        u32 count = pick(8);
        for (u32 i = 0; i < count; ++i) {
            u32 kind = pick(3);
            u32 bytes = 1u << pick(4);
            actor.clock += pick(4);
            actor.log->accesses.push_back(
                {actor.clock, pick(lines_),
                 access(pick(line_bytes_ / bytes) * bytes, bytes, kind != 1, kind != 0)});
        }
        switch (pick(8)) {
            case 0:  // an edge from another thread
                actor.clock = std::max(actor.clock, actors_[pick(static_cast<u32>(actors_.size()))].clock);
                break;
            case 1: actor.clock += pick(30); break;
            case 2:
                if (latency_ == 0 && runners() > 1) actor.blocked = actor.log->blocked = true;
                break;
            case 3:
                if (latency_ == 0 && logs_.size() < most) {
                    Actor parent = actor;
                    return start(&parent);
                }
                break;
            case 4:
                if (runners() > 1 && pick(2) == 0) {
                    actor.gone = true;
                    // It has no more accesses, so it holds up no other thread; a blocked log shows this.
                    actor.log->blocked = true;
                }
                break;
            default: break;
        }
        if (pick(2) == 0) merge();
    }
    u32 runners() const {
        return static_cast<u32>(std::count_if(actors_.begin(), actors_.end(),
                                              [](const Actor& a) { return !a.blocked && !a.gone; }));
    }

    void merge() {
        Time final = horizon();
        if (pick(3) == 0 && final > merged_) final = merged_ + pick(static_cast<u32>(final - merged_)) + 1;
        merged_ = std::max(final, merged_);
        early_ += world_.merge.run(merged_);
        // A slot is free again when the merge has passed all accesses of its thread.
        for (usize i = 0; i < actors_.size();) {
            Actor& actor = actors_[i];
            if (actor.gone && actor.log->taken == actor.log->accesses.size()) {
                world_.merge.remove(actor.log);
                slots_.erase(actor.log->self.slot);
                actors_.erase(actors_.begin() + static_cast<std::ptrdiff_t>(i));
            } else {
                ++i;
            }
        }
    }

    std::mt19937 random_;
    u32 latency_;
    u32 lines_ = 1, line_bytes_ = 64;
    World world_;
    std::vector<std::unique_ptr<Log>> logs_;
    std::vector<Actor> actors_;
    std::set<u32> slots_;
    u32 highest_slot_ = 0;
    Time merged_ = 0;
    usize early_ = 0, slots_again_ = 0;
};

// 10,000 random traces: the order and every count, per thread and per line, are those of the plain simulator.
TEST(Merge, RandomTraces) {
    usize early = 0, accesses = 0, again = 0;
    for (u32 seed = 0; seed < 10'000; ++seed) {
        u32 latency = seed % 2 == 0 ? 0 : 1 + seed % 50;
        Program program(seed, latency);
        program.check();
        if (HasFatalFailure()) FAIL() << "seed " << seed << ", latency " << latency;
        early += program.early();
        accesses += program.accesses();
        again += program.slots_again();
    }
    // The traces have the intended properties.
    EXPECT_GT(accesses, 300'000u);
    EXPECT_GT(early, accesses / 3) << "merged before the end";
    EXPECT_GT(again, 300u) << "threads in a slot that another had";
}

// For the tests of the merge alone: a list of times, each with the number of its events.
struct List {
    Thread self;
    std::vector<std::pair<Time, u32>> items;
    std::vector<std::pair<u32, Time>>* taken = nullptr;
    usize at = 0;
    bool made_current = false;

    Thread thread() const { return self; }
    bool next(Time horizon, replay::Step* step) {
        EXPECT_FALSE(made_current) << "asked again though the current access was not consumed";
        if (at == items.size() || items[at].first >= horizon) return false;
        *step = {};
        step->time = items[at].first;
        return made_current = true;
    }
    u32 consume() {
        EXPECT_TRUE(made_current);
        made_current = false;
        taken->emplace_back(self.serial, items[at].first);
        return items[at++].second;
    }
};
using Taken = std::vector<std::pair<u32, Time>>;

// At the same time the lower serial comes first, whatever the order in which streams were added; nothing at
// or behind the horizon is taken.
TEST(Merge, TiesAndHorizon) {
    Taken taken;
    List a{{1, 2}, {{5, 0}, {5, 0}, {9, 0}}, &taken}, b{{0, 1}, {{5, 0}, {8, 0}}, &taken};
    replay::Simulation<List> merge;
    merge.add(&a);
    merge.add(&b);
    EXPECT_EQ(merge.run(5), 0u);
    EXPECT_EQ(merge.run(9), 4u);
    EXPECT_EQ(taken, (Taken{{1, 5}, {2, 5}, {2, 5}, {1, 8}}));
    EXPECT_EQ(merge.run(~Time{0}), 1u);
    merge.remove(&a);
    EXPECT_EQ(merge.size(), 1u);
}

// A delayed access waits for a thread that has not got that far; force() does not wait, and a later access
// then comes after it.
TEST(Merge, LatencyWaitsUnlessForced) {
    for (bool forced : {false, true}) {
        Taken taken;
        List a{{0, 1}, {{1, 1}, {2, 0}}, &taken}, b{{1, 2}, {{50, 0}}, &taken};
        replay::Simulation<List> merge;
        merge.set_latency(100);
        merge.add(&a);
        merge.add(&b);
        if (forced) {
            EXPECT_EQ(merge.force(10), 2u);
        } else {
            EXPECT_EQ(merge.run(10), 1u);
        }
        merge.run(60);
        merge.run(200);
        EXPECT_EQ(taken, forced ? (Taken{{1, 1}, {1, 2}, {2, 50}}) : (Taken{{1, 1}, {2, 50}, {1, 2}}));
    }
}

// 300 streams: the heap keeps the order.
TEST(Merge, ManyStreams) {
    Taken taken;
    std::vector<List> lists(300);
    std::mt19937 random(7);
    replay::Simulation<List> merge;
    usize all = 0;
    for (u32 i = 0; i < lists.size(); ++i) {
        lists[i].self = thread(i);
        lists[i].taken = &taken;
        Time time = 0;
        for (u32 n = static_cast<u32>(random() % 100); n-- > 0; ++all)
            lists[i].items.emplace_back(time += random() % 10, 0);
        merge.add(&lists[i]);
    }
    for (Time horizon = 0; horizon <= 1000; horizon += 37) merge.run(horizon);
    EXPECT_EQ(taken.size(), all);
    EXPECT_TRUE(std::is_sorted(taken.begin(), taken.end(), [](const auto& a, const auto& b) {
        return std::pair(a.second, a.first) < std::pair(b.second, b.first);
    }));
}

}  // namespace
}  // namespace memspy::sharing
