// SPDX-License-Identifier: GPL-2.0-or-later
//
// Not a test: prints the cost of an access to a shared line in nanoseconds: hits and events of the ownership
// alone, with the tally, and with the merge in front.
#include <chrono>
#include <cstdio>
#include <vector>

#include "contention_source.h"
#include "replay/simulation.h"

namespace {

using namespace memspy;
using namespace memspy::sharing;
using namespace memspy::lines;
using namespace memspy::replay;
using memspy::lines::Time;

template <typename F>
void measure(const char* what, u64 accesses, F f) {
    auto start = std::chrono::steady_clock::now();
    f();
    std::chrono::duration<double, std::nano> time = std::chrono::steady_clock::now() - start;
    std::printf("%-60s %6.1f ns\n", what, time.count() / static_cast<double>(accesses));
}

constexpr u32 kRounds = 20'000'000;

void ownership_alone() {
    Ownership* line = make_ownership();
    u64 events = 0;
    auto round_robin = [&](u32 threads, u32 bytes, bool stores) {
        for (u32 i = 0; i < kRounds; ++i)
            events += apply(line, thread(i % threads), access(i % threads * bytes, 4, true, stores)).any();
    };
    measure("hit, one thread, update", kRounds, [&] { round_robin(1, 4, true); });
    measure("hit, 4 threads in turn, load", kRounds, [&] { round_robin(4, 4, false); });
    measure("hit, 16 threads in turn, load", kRounds, [&] { round_robin(16, 4, false); });
    measure("miss and invalidation, 2 threads", kRounds, [&] { round_robin(2, 4, true); });
    measure("miss and invalidation, 4 threads", kRounds, [&] { round_robin(4, 4, true); });
    measure("miss and invalidation, 16 threads", kRounds, [&] { round_robin(16, 4, true); });
    measure("miss and invalidation, 4 threads, same bytes", kRounds, [&] { round_robin(4, 0, true); });
    release(line);
    std::vector<Ownership*> lines(100'000);
    measure("line made, and touched by a second thread", lines.size(), [&] {
        for (Ownership*& each : lines) {
            each = make_ownership_of(thread(0));
            events += apply(each, thread(1), access(0, 8, true, false)).any();
        }
    });
    for (Ownership* each : lines) release(each);
    std::printf("(%llu events)\n", static_cast<unsigned long long>(events));
}

struct Log {
    Thread self;
    u32 at = 0;
    bool hits = false;
    Ownership** line = nullptr;
    LineTally* tally = nullptr;

    Thread thread() const { return self; }
    bool next(Time horizon, replay::Step* step) {
        if (at == kRounds / 4) return false;
        *step = {};
        step->time = Time{at} * 5 + self.slot;
        return step->time < horizon;
    }
    u32 consume() {
        ++at;
        LineAccess a = access(self.slot * 4, 4, true, !hits);
        Place place{0x40'0000 + self.slot * 4, threads::CallPath{3}};
        count_access(*tally, self, ObjectId{1}, place, a);
        Events events = apply(*line, self, a);
        if (events.any()) charge(View::Modelled, *tally, self, ObjectId{1}, place, events);
        return events.any();
    }
};

void all_together(bool hits, const char* what) {
    std::vector<Log> logs(4);
    replay::Simulation<Log> merge;
    Ownership* line = make_ownership();
    for (u32 i = 0; i < 4; ++i) {
        know_thread(thread(i), 0, i + 1);
        logs[i].self = thread(i);
        logs[i].hits = hits;
        logs[i].line = &line;
        logs[i].tally = make_line_tally(1);
        merge.add(&logs[i]);
    }
    measure(what, kRounds, [&] { merge.run(~Time{0}); });
    release(line);
}

}  // namespace

int main() {
    ownership_alone();
    all_together(true, "merge, count_access, hit; 4 threads in turn");
    all_together(false, "merge, count_access, miss and invalidation, charge; 4 threads");
    configure({.line_bytes = 256});
    std::printf("lines of 256 bytes\n");
    ownership_alone();
}
