// SPDX-License-Identifier: GPL-2.0-or-later
//
// The replay gives the order and the waits of the definitions: 10,000 random programs with locks, read-write
// locks, semaphores and threads that wait for each other, against a simulator that has all logs in advance and looks at
// all threads at each step; and the definitions one by one. Programs without a coherence latency are replayed
// with horizons of any kind; for those with one see below.
#include "replay/simulation.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <random>
#include <tuple>
#include <vector>

namespace memspy::replay {
namespace {

using Kind = Step::StepKind;
using Taken = std::vector<std::pair<u32, usize>>;  // (serial, step)
using Meetings = std::map<u64, rt::Vector<Arrival>>;  // by number

struct Log {
    Thread self;
    std::vector<Step> steps;
    Taken* taken = nullptr;
    usize at = 0;

    Thread thread() const { return self; }
    bool waiting() const { return at == steps.size(); }
    bool next(Time horizon, Step* step) const {
        if (at == steps.size() || steps[at].time >= horizon) return false;
        *step = steps[at];
        return true;
    }
    u32 consume() {
        if (steps[at].kind == Kind::Access) taken->emplace_back(self.serial, at);
        return steps[at++].kind == Kind::Access ? static_cast<u32>(at % 3) : 0;
    }
};

// Literally, and slow.
class Plain {
public:
    Plain(const std::vector<Log>& logs, u32 latency, const std::map<u64, u32>& tokens, const Meetings& meetings)
        : logs_(logs), latency_(latency), states_(logs.size()), meetings_(meetings) {
        for (const auto& [number, count] : tokens) semaphores_[number].tokens = count;
        for (;;) {
            usize best = states_.size();
            for (usize i = 0; i < states_.size(); ++i)
                if (!states_[i].blocked && !done(i) && (best == states_.size() || at(i) < at(best))) best = i;
            if (best == states_.size()) {
                if (!force_any()) break;
                continue;
            }
            now_ = at(best);
            latest_ = std::max(latest_, now_);
            step(best);
            let_go_on();
        }
        for (usize i = 0; i < states_.size(); ++i) EXPECT_TRUE(done(i)) << "thread " << i + 1;
    }

    Taken taken;
    u64 forced = 0;
    std::map<Address, Time> waited;

private:
    struct State {
        usize at = 0;
        Time delay = 0;
        bool blocked = false;
        usize waits_for = 0;  // at a GoOn step
    };
    struct Lock {
        std::vector<std::tuple<usize, u32, bool>> owners;  // thread, depth, shared
        std::vector<usize> queue;
    };

    struct Semaphore {
        i64 tokens = 0;  // < 0: posts that are taken already
        std::vector<usize> queue;
    };

    const Step& current(usize i) const { return logs_[i].steps[states_[i].at]; }
    bool done(usize i) const { return states_[i].at == logs_[i].steps.size(); }
    Time at(usize i) const { return current(i).time + states_[i].delay; }
    bool is_there(usize i, Time when) const { return done(i) || current(i).time >= when; }

    void done_with(usize i) {
        ++states_[i].at;
        not_before(i);
    }
    // Nothing comes before a step that was replayed already.
    void not_before(usize i) {
        if (!done(i) && at(i) < latest_) states_[i].delay = latest_ - current(i).time;
    }

    void step(usize i) {
        const Step& s = current(i);
        switch (s.kind) {
            case Kind::Access: {
                taken.emplace_back(logs_[i].self.serial, states_[i].at);
                ++states_[i].at;
                states_[i].delay += Time{latency_} * (states_[i].at % 3);
                return not_before(i);
            }
            case Kind::Acquire:
            case Kind::AcquireShared: {
                Lock& lock = locks_[s.lock];
                for (auto& [owner, depth, shared] : lock.owners)
                    if (owner == i) {
                        ++depth;
                        return done_with(i);
                    }
                if (lock.queue.empty() && fits(lock, s)) {
                    lock.owners.emplace_back(i, 1, s.kind == Kind::AcquireShared);
                    return done_with(i);
                }
                lock.queue.push_back(i);
                states_[i].blocked = true;
                return open_circle(i);
            }
            case Kind::Release: {
                Lock& lock = locks_[s.lock];
                for (usize k = 0; k < lock.owners.size(); ++k) {
                    auto& [owner, depth, shared] = lock.owners[k];
                    if (owner != i || --depth != 0) continue;
                    lock.owners[k] = lock.owners.back();
                    lock.owners.pop_back();
                    break;
                }
                done_with(i);
                while (!lock.queue.empty() && fits(lock, current(lock.queue[0]))) {
                    const usize first = lock.queue[0];
                    lock.queue.erase(lock.queue.begin());
                    grant(lock, first);
                }
                return;
            }
            case Kind::Take: {
                Semaphore& semaphore = semaphores_[s.semaphore];
                if (semaphore.tokens > 0) {
                    --semaphore.tokens;
                    return done_with(i);
                }
                semaphore.queue.push_back(i);
                states_[i].blocked = true;
                return open_circle(i);
            }
            case Kind::Post: {
                Semaphore& semaphore = semaphores_[s.semaphore];
                done_with(i);
                if (semaphore.tokens < 0 || semaphore.queue.empty()) return void(++semaphore.tokens);
                const usize first = semaphore.queue[0];
                semaphore.queue.erase(semaphore.queue.begin());
                if (now_ > at(first)) waited[current(first).lock] += now_ - at(first);
                return get_token(first);
            }
            case Kind::GoOn:
                states_[i].blocked = true;
                if (const std::optional<usize> other = missing(i)) wait_for(i, *other);
                return;
            case Kind::Poll:
            case Kind::PollEnd:
            case Kind::Nothing: return done_with(i);
        }
    }
    static bool fits(const Lock& lock, const Step& s) {
        return lock.owners.empty() ||
               (s.kind == Kind::AcquireShared && std::all_of(lock.owners.begin(), lock.owners.end(),
                                                             [](const auto& o) { return std::get<2>(o); }));
    }
    void grant(Lock& lock, usize i) {
        lock.owners.emplace_back(i, 1, current(i).kind == Kind::AcquireShared);
        if (now_ > at(i)) {
            waited[current(i).lock] += now_ - at(i);
            states_[i].delay += now_ - at(i);
        }
        states_[i].blocked = false;
        done_with(i);
    }
    void get_token(usize i) {
        if (now_ > at(i)) states_[i].delay += now_ - at(i);
        states_[i].blocked = false;
        done_with(i);
    }
    // Whom the thread waits for.
    std::optional<usize> missing(usize i) const {
        const Step& s = current(i);
        if (s.meeting == 0) return is_there(s.other - 1, s.when) ? std::nullopt : std::optional<usize>{s.other - 1};
        if (const auto it = complete_.find(s.meeting); it != complete_.end() && it->second.second) return std::nullopt;
        const rt::Vector<Arrival>& arrivals = meetings_.at(s.meeting);
        for (usize k = arrivals.size(); k-- > 0;)
            if (const usize other = arrivals[k].serial - 1;
                !done(other) && current(other).time <= arrivals[k].time && current(other).meeting != s.meeting)
                return other;
        return std::nullopt;
    }
    // When all had got to the meeting. Who has left it has another delay.
    Time complete(usize i) {
        auto& [at, all] = complete_[current(i).meeting];
        if (all) return at;
        for (const auto& [serial, time] : meetings_.at(current(i).meeting))
            at = std::max(at, time + states_[serial - 1].delay);
        all = !missing(i);
        return at;
    }
    void go_on(usize i) {
        const Step& s = current(i);
        const Time until =
            std::max(at(i), s.meeting != 0 ? complete(i) : s.when + states_[s.other - 1].delay);
        states_[i].delay = until > s.until ? until - s.until : 0;
        states_[i].blocked = false;
        done_with(i);
    }
    void wait_for(usize i, usize other) {
        states_[i].waits_for = other;
        open_circle(i);
    }
    void let_go_on() {
        for (bool again = true; again;) {
            again = false;
            for (usize i = 0; i < states_.size(); ++i) {
                if (!states_[i].blocked || current(i).kind != Kind::GoOn) continue;
                const std::optional<usize> other = missing(i);
                if (other && *other == states_[i].waits_for) continue;
                again = true;
                if (other)
                    wait_for(i, *other);
                else
                    go_on(i);
            }
        }
    }
    // A cycle through the second of several owners is only found when no thread can proceed.
    bool force_any() {
        usize first = states_.size();
        for (usize i = 0; i < states_.size(); ++i)
            if (!done(i) && (first == states_.size() || current(i).turn < current(first).turn)) first = i;
        if (first == states_.size()) return false;
        now_ = std::max(latest_, at(first));
        force(first);
        let_go_on();
        return true;
    }
    void force(usize i) {
        ++forced;
        if (current(i).kind == Kind::GoOn) return go_on(i);
        if (current(i).kind == Kind::Take) {
            Semaphore& semaphore = semaphores_[current(i).semaphore];
            semaphore.queue.erase(std::find(semaphore.queue.begin(), semaphore.queue.end(), i));
            --semaphore.tokens;
            return get_token(i);
        }
        Lock& lock = locks_[current(i).lock];
        lock.queue.erase(std::find(lock.queue.begin(), lock.queue.end(), i));
        grant(lock, i);
    }
    // The thread that a blocked thread waits for.
    usize next(usize i) {
        if (!states_[i].blocked || done(i)) return logs_.size();
        if (current(i).kind == Kind::GoOn) return states_[i].waits_for;
        if (current(i).kind == Kind::Take)
            return current(i).other == 0 ? logs_.size() : current(i).other - 1;
        const Lock& lock = locks_[current(i).lock];
        return lock.owners.empty() ? lock.queue[0] : std::get<0>(lock.owners[0]);
    }
    void open_circle(usize start) {
        std::vector<usize> circle{start};
        for (usize i = next(start); i != start; i = next(i)) {
            if (i == logs_.size() || circle.size() > logs_.size()) return;
            circle.push_back(i);
        }
        usize first = logs_.size();
        for (const usize i : circle)
            if (current(i).kind != Kind::GoOn &&
                (first == logs_.size() || current(i).turn < current(first).turn))
                first = i;
        force(first == logs_.size() ? start : first);
    }

    const std::vector<Log>& logs_;
    u32 latency_;
    std::vector<State> states_;
    const Meetings& meetings_;
    std::map<u64, std::pair<Time, bool>> complete_;  // by number: when, and whether all were there
    std::map<Address, Lock> locks_;
    std::map<u64, Semaphore> semaphores_;
    Time now_ = 0, latest_ = 0;
};

// The real execution, one thread at a time: no thread takes a lock that another one holds or a token that nobody has
// posted, and a thread that continues after another does so when that one has got there. `tokens`: of semaphores at the
// beginning, by number.
std::vector<Log> random_logs(std::mt19937& random, std::map<u64, u32>& tokens, Meetings& meetings) {
    auto pick = [&](u32 below) { return static_cast<u32>(random() % below); };
    const u32 threads = 1 + pick(6), locks = 1 + pick(3), length = 10 + pick(80);
    const bool unordered = pick(4) == 0;  // locks taken in any order: the replay may meet cycles
    std::vector<Log> logs(threads);
    std::vector<Time> clocks(threads);
    struct Held {
        Address lock;
        u32 thread;
        bool shared;
    };
    std::vector<Held> held;
    u64 turns = 0;
    constexpr Address kSemaphores = 100;
    const u32 semaphores = pick(3);
    std::vector<std::vector<u32>> posts(semaphores);  // not taken yet: serials
    for (u32 i = 0; i < semaphores; ++i) {
        tokens[kSemaphores + i] = pick(2);
        posts[i].resize(tokens[kSemaphores + i]);
    }
    for (u32 i = 0; i < threads; ++i) logs[i].self = {i, i + 1};
    auto free_for = [&](Address lock, u32 t, bool shared) {
        return std::none_of(held.begin(), held.end(), [&](const Held& h) {
            return h.lock == lock && (h.thread == t ? h.shared != shared : !(shared && h.shared));
        });
    };
    auto add = [&](u32 t, Kind kind, Address lock = 0) -> Step& {
        Step s;
        s.kind = kind;
        s.time = clocks[t];
        s.lock = lock;
        s.turn = ++turns;
        logs[t].steps.push_back(s);
        return logs[t].steps.back();
    };
    for (u32 n = 0; n < length; ++n) {
        const u32 t = pick(threads);
        for (u32 turns_left = 1 + pick(6); turns_left != 0; --turns_left) {
            clocks[t] += pick(5);
            switch (pick(9)) {
                case 0: {
                    const bool shared = pick(3) == 0;
                    Address lock = 1 + pick(locks);
                    for (const Held& h : held)
                        if (h.thread == t && h.lock > lock && !unordered) lock = h.lock;
                    if (!free_for(lock, t, shared)) break;
                    add(t, shared ? Kind::AcquireShared : Kind::Acquire, lock);
                    held.push_back({lock, t, shared});
                    break;
                }
                case 1:
                case 2:
                    for (usize i = held.size(); i-- > 0;)
                        if (held[i].thread == t) {
                            add(t, Kind::Release, held[i].lock);
                            held.erase(held.begin() + static_cast<std::ptrdiff_t>(i));
                            break;
                        }
                    break;
                case 3: {
                    const u32 other = pick(threads);
                    if (pick(3) != 0 || other == t) break;
                    Step& s = add(t, Kind::GoOn);
                    s.other = other + 1;
                    s.when = clocks[other];
                    s.until = clocks[t] = std::max(clocks[t], clocks[other]);
                    break;
                }
                case 4: {
                    if (semaphores == 0) break;
                    const u32 i = pick(semaphores);
                    Step& s = add(t, Kind::Post, kSemaphores + i);
                    s.semaphore = s.lock;
                    posts[i].push_back(t + 1);
                    break;
                }
                case 5: {
                    if (semaphores == 0) break;
                    const u32 i = pick(semaphores);
                    if (posts[i].empty()) break;
                    Step& s = add(t, Kind::Take, kSemaphores + i);
                    s.semaphore = s.lock;
                    s.other = pick(4) == 0 ? 0 : posts[i][0];
                    posts[i].erase(posts[i].begin());
                    break;
                }
                case 6: {
                    if (pick(4) != 0) break;
                    const u64 number = meetings.size() + 1;
                    rt::Vector<Arrival>& arrivals = meetings[number];
                    Time latest = 0;
                    for (u32 member = 0; member < threads; ++member) {
                        if (member != t && pick(3) == 0) continue;
                        arrivals.push_back({member + 1, clocks[member]});
                        latest = std::max(latest, clocks[member]);
                    }
                    for (const auto& [serial, time] : arrivals) {
                        Step& s = add(serial - 1, Kind::GoOn);
                        s.meeting = number;
                        s.until = clocks[serial - 1] = latest;
                    }
                    break;
                }
                default: add(t, Kind::Access); break;
            }
        }
    }
    for (const Held& h : held) add(h.thread, Kind::Release, h.lock);
    return logs;
}

TEST(Simulation, RandomPrograms) {
    usize accesses = 0, forced = 0, waits = 0, other_orders = 0;
    for (u32 seed = 0; seed < 10'000; ++seed) {
        std::mt19937 random(seed);
        std::map<u64, u32> tokens;
        Meetings meetings;
        std::vector<Log> logs = random_logs(random, tokens, meetings);
        const u32 latency = seed % 2 == 0 ? 0 : seed % 20;
        const Plain plain(logs, latency, tokens, meetings);
        Taken taken;
        Simulation<Log> simulation;
        simulation.set_latency(latency);
        for (const auto& [number, count] : tokens) simulation.add_tokens(number, count);
        for (const auto& [number, arrivals] : meetings) simulation.meet(number, arrivals);
        for (Log& log : logs) {
            log.taken = &taken;
            simulation.add(&log);
        }
        // With a latency all logs are there at once: with horizons as well, 9 of 30,000 such programs had
        // another order. merge_test has latencies with horizons, without locks.
        for (Time horizon = 1; horizon < 300 && latency == 0; horizon += 1 + random() % 40)
            simulation.run(horizon);
        simulation.force(~Time{0});
        accesses += taken.size();
        forced += plain.forced;
        waits += simulation.waits().rows().size();
        // Where a circle goes through a meeting, which thread of those that leave it at once comes first decides how the
        // circle is opened. The simulations differ there in 4 of 60,000 programs.
        if (taken != plain.taken && simulation.forced() != 0 && !meetings.empty()) {
            ++other_orders;
            continue;
        }
        ASSERT_EQ(taken, plain.taken) << "seed " << seed;
        ASSERT_EQ(simulation.forced(), plain.forced) << "seed " << seed;
        std::map<Address, Time> waited;
        for (const WaitRow& row : simulation.waits().rows())
            if (row.word != 0) waited[row.word] += row.figures.waited;
        if (plain.forced == 0) {
            ASSERT_EQ(waited, plain.waited) << "seed " << seed;
        }
    }
    EXPECT_LE(other_orders, 3u);
    // The programs have the intended properties.
    EXPECT_GT(accesses, 300'000u);
    EXPECT_GT(waits, 3'000u);
    EXPECT_GT(forced, 100u);
}

Step step(Kind kind, Time time, Address lock = 0) {
    Step s;
    s.kind = kind;
    s.time = time;
    s.lock = lock;
    return s;
}

// The thread that comes first, by its own clock, gets the lock first although it really had it last. The
// waiting thread continues at the release, and is delayed from then on.
TEST(Simulation, LocksInOrderOfArrival) {
    Taken taken;
    Log a{{0, 1}, {step(Kind::Acquire, 10, 7), step(Kind::Access, 15), step(Kind::Release, 20, 7)}, &taken};
    Log b{{1, 2},
          {step(Kind::Acquire, 5, 7), step(Kind::Access, 6), step(Kind::Access, 14),
           step(Kind::Release, 30, 7), step(Kind::Access, 31)},
          &taken};
    Simulation<Log> simulation;
    simulation.add(&a);
    simulation.add(&b);
    simulation.run(~Time{0});
    EXPECT_EQ(taken, (Taken{{2, 1}, {2, 2}, {2, 4}, {1, 1}}));
    EXPECT_EQ(simulation.delay_of(1), 20u);
    EXPECT_EQ(simulation.delay_of(2), 0u);
    EXPECT_EQ(simulation.forced(), 0u);
}

// A token goes to the thread that comes first by virtual time, although another one really took it.
TEST(Simulation, TokensInOrderOfArrival) {
    Taken taken;
    const auto token = [](Kind kind, Time time) {
        Step s = step(kind, time, 7);
        s.semaphore = 1;
        return s;
    };
    Log a{{0, 1}, {token(Kind::Take, 10), step(Kind::Access, 15)}, &taken};
    Log b{{1, 2}, {token(Kind::Take, 5), step(Kind::Access, 6)}, &taken};
    Log c{{2, 3}, {token(Kind::Post, 20), token(Kind::Post, 50), step(Kind::Access, 60)}, &taken};
    Simulation<Log> simulation;
    for (Log* log : {&a, &b, &c}) simulation.add(log);
    simulation.run(~Time{0});
    EXPECT_EQ(taken, (Taken{{2, 1}, {1, 1}, {3, 2}}));
    EXPECT_EQ(simulation.delay_of(1), 40u);
    EXPECT_EQ(simulation.delay_of(2), 15u);
    EXPECT_EQ(simulation.waits().rows()[0].figures.waited, 55u);
}

// Readers hold it together; a writer waits for the last of them.
TEST(Simulation, ReadersTogether) {
    Taken taken;
    Log a{
        {0, 1}, {step(Kind::AcquireShared, 0, 7), step(Kind::Access, 5), step(Kind::Release, 10, 7)}, &taken};
    Log b{
        {1, 2}, {step(Kind::AcquireShared, 1, 7), step(Kind::Access, 2), step(Kind::Release, 20, 7)}, &taken};
    Log c{{2, 3}, {step(Kind::Acquire, 3, 7), step(Kind::Access, 4), step(Kind::Release, 5, 7)}, &taken};
    Simulation<Log> simulation;
    for (Log* log : {&a, &b, &c}) simulation.add(log);
    simulation.run(~Time{0});
    EXPECT_EQ(taken, (Taken{{2, 1}, {1, 1}, {3, 1}}));
    EXPECT_EQ(simulation.delay_of(3), 17u);
}

// A thread sleeps while the others are replayed. What it waited is known when it runs again, and began when it went to sleep.
TEST(Simulation, WaitsThatAreKnownLate) {
    Taken taken;
    const auto go_on = [](Time from, Time until, u32 other, Time when) {
        Step s = step(Kind::GoOn, from, other != 0 ? 7 : 0);
        s.until = until;
        s.other = other;
        s.when = when;
        return s;
    };
    Log sleeper{{0, 1}, {step(Kind::Access, 9)}, &taken};
    Log worker{{1, 2}, {step(Kind::Acquire, 5, 3), step(Kind::Access, 50), step(Kind::Access, 90)}, &taken};
    Log delayed{{2, 3}, {step(Kind::Release, 5, 3), step(Kind::Acquire, 6, 3)}, &taken};
    Simulation<Log> simulation;
    for (Log* log : {&sleeper, &worker, &delayed}) simulation.add(log);
    // A thread that waits for a lock has a delay.
    worker.steps.insert(worker.steps.begin() + 2, step(Kind::Release, 51, 3));
    simulation.run(~Time{0});
    ASSERT_EQ(taken.size(), 3u);
    sleeper.steps.insert(sleeper.steps.end(), {go_on(10, 10, 2, 60), go_on(10, 60, 0, 0), step(Kind::Access, 65)});
    simulation.run(~Time{0});
    EXPECT_EQ(taken.size(), 4u);
    u64 waited = 0;
    for (const WaitRow& row : simulation.waits().rows())
        if (row.kind == WaitKind::Word) waited += row.figures.waited;
    EXPECT_EQ(waited, 50u);
}

// A wait has one step for each thread that ended it, and a last one. Between them the thread seems to have a delay; only one
// that is left behind the last step changes the order of the steps.
TEST(Simulation, DelayedOnlyBehindWholeWaits) {
    Taken taken;
    const auto go_on = [](Time from, Time until, u32 other, Time when, bool ends) {
        Step s = step(Kind::GoOn, from, 7);
        s.until = until;
        s.other = other;
        s.when = when;
        s.ends_wait = ends;
        return s;
    };
    for (const bool late : {false, true}) {
        Log waker{{0, 1}, {step(Kind::Access, 60)}, &taken};
        Log sleeper{{1, 2},
                    {go_on(10, 10, 1, late ? 61 : 60, false), go_on(10, 60, 0, 0, true), step(Kind::Access, 70)},
                    &taken};
        Simulation<Log> simulation;
        for (Log* log : {&waker, &sleeper}) simulation.add(log);
        simulation.run(100);
        EXPECT_EQ(simulation.delay_of(2), late ? 1u : 0u);
        EXPECT_EQ(simulation.delayed(), late);
    }
    EXPECT_EQ(taken.size(), 4u);
}

}  // namespace
}  // namespace memspy::replay
