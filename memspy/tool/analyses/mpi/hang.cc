// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyses/mpi/hang.h"

#include <algorithm>

#include "analyses/mpi/output/wait_text.h"
#include "analyses/mpi/rank_states.h"
#include "analyses/mpi/wait_graph.h"
#include "findings/findings.h"
#include "options.h"
#include "rt/global.h"
#include "vg/clock.h"
#include "vg/starved.h"
#include "vg/thread_life.h"
#include "vg/vg.h"

extern "C" {
void VG_(set_IP)(ThreadId, Addr);  // declared by the core's own headers only
}

namespace memspy::mpi {
namespace {

using WaitPhase = RankState::WaitPhase;

constexpr u64 kSecond = 1'000'000;  // in microseconds
// Ranks whose calls match, and ranks that have all come to the end, get on as soon as they get a processor: on a
// machine with much to do that may last.
constexpr u64 kMatchedFactor = 10;
// A rank that knows that all are stuck waits so long for the others' reports.
constexpr u64 kMostForOthers = 20 * kSecond;

rt::Global<RankStates> states;
rt::Global<RankState> own;
rt::Global<rt::Vector<RankState>> everyone;  // as the verdict found them

// Without buffers more programs are stuck than with them.
u64 limit() {
    constexpr u64 kWithoutBuffers = 10;
    const bool without = options().mpi_buffering == MpiBuffering::None && !was_given("mpi-hang");
    return (without ? kWithoutBuffers : static_cast<u64>(options().mpi_hang)) * kSecond;
}

bool is_at_end(const RankState& state) { return VG_(strcmp)(state.call, "MPI_Finalize") == 0; }

void copy_text(char* to, usize bytes, const char* from) {
    VG_(strncpy)(to, from, static_cast<SizeT>(bytes - 1));
    to[bytes - 1] = '\0';
}

}  // namespace

void Hang::begin(Address end_program) {
    end_program_ = end_program;
    if (limit() != 0) states->begin(all_->rank(), all_->size());
}

void Hang::ended() {
    if (limit() != 0) states->remove();
}

// The others must find this rank at its end, whatever the library does in between; but not for ever, since
// some ranks may run without this option.
bool Hang::may_end() {
    if (limit() == 0) return true;
    at_end_ = true;
    constexpr u64 kPatience = 2 * kMatchedFactor;  // who is stuck beside it is told before
    const u64 begin = VG_(read_millisecond_timer)(), now = vg::wall_microseconds();
    if (!told_ || told_moves_ != all_->moves())
        publish(waits_->find(now), static_cast<u32>(WaitPhase::Waits));
    if (now > all_->last_move() + starved_ + limit() * kPatience) return true;
    if (begin < next_end_) return false;
    constexpr u64 kOften = 20;
    next_end_ = begin + kOften;
    for (i32 rank = 0; rank < all_->size(); ++rank)
        if (!states->read(rank, *own) || !is_at_end(*own)) return false;
    return true;
}

void Hang::publish(const RankWait& wait, u32 phase) {
    RankState& state = *own;
    state = {};
    state.rank = all_->rank();
    state.phase = static_cast<WaitPhase>(phase);
    state.since = all_->last_move() + starved_;
    state.moves = all_->moves();
    if (state.phase == WaitPhase::Concluded) state.concluded = vg::wall_microseconds();
    state.any = wait.any;
    state.sends = wait.sends;
    state.has_tag = wait.has_tag;
    state.tag = wait.tag;
    state.for_part = wait.for_part;
    state.is_exclusive = wait.is_exclusive;
    state.operation = wait.operation;
    if (wait.call != nullptr) copy_text(state.call, sizeof state.call, wait.call);
    write_place(wait.context, state.place, sizeof state.place);
    if (const usize number = static_cast<usize>(wait.comm); number != 0) {
        const Communicator& comm = all_->communicators()[number - 1];
        state.group = comm.group;
        state.ordinal = comm.ordinal;
        state.disagrees = comm.disagrees;
    }
    for (const i32 rank : wait.ranks)
        if (state.count < RankState::kMostRanks) state.ranks[state.count++] = rank;
    for (const Communicator& comm : all_->communicators())
        if (comm.operations != 0 && state.comm_count < RankState::kMostComms)
            state.comms[state.comm_count++] = {comm.group, comm.ordinal, comm.operations};
    for (const WindowLock& lock : all_->locks().all()) {
        const Communicator& window = all_->communicators()[static_cast<usize>(lock.window) - 1];
        if (state.lock_count < RankState::kMostLocks)
            state.locks[state.lock_count++] = {window.group, window.ordinal, lock.target, lock.is_exclusive};
    }
    states->publish(state);
    told_ = true;
    told_moves_ = all_->moves();
    told_starved_ = starved_;
}

// A rank that has no processor does not wait for others: on a machine with much to do all ranks of a program that gets
// on may be in a call for longer than the limit.
void Hang::measure_starving() {
    const u64 starved = vg::starved_microseconds();
    starved_ = looked_moves_ == all_->moves() ? starved_ + (starved - starved_before_) : 0;
    starved_before_ = starved;
    looked_moves_ = all_->moves();
}

void Hang::look() {
    if (limit() == 0 || concluded_ || all_->rank() < 0) return;
    constexpr u64 kOften = 200;
    const u64 begin = VG_(read_millisecond_timer)();
    if (begin < next_look_) return;
    next_look_ = begin + kOften;
    measure_starving();
    const u64 now = vg::wall_microseconds();
    const u64 since = all_->last_move() + starved_;
    const u64 idle = since < now ? now - since : 0;
    const RankWait wait = idle < limit() / 2 ? RankWait() : waits_->find(now);
    if (wait.call == nullptr || wait.for_strangers) {
        if (told_ && !at_end_) states->remove();
        told_ = at_end_;
        return;
    }
    if (!told_ || told_moves_ != all_->moves() || starved_ > told_starved_ + limit() / 4)
        publish(wait, static_cast<u32>(WaitPhase::Waits));
    if (idle < limit() || !judge(now)) return;
    concluded_ = ends_ = true;
    report(wait);
}

// All wait, and have waited for long enough.
bool Hang::judge(u64 now) {
    rt::Vector<RankState>& found = *everyone;
    found.resize(static_cast<usize>(all_->size()));
    u64 latest = 0;
    for (i32 rank = 0; rank < all_->size(); ++rank) {
        RankState& state = found[static_cast<usize>(rank)];
        if (!states->read(rank, state)) return false;
        if (state.phase == WaitPhase::Runs) return false;
        if (state.since > latest) latest = state.since;
    }
    // Who knows it already has seen what this rank sees a moment later.
    const u64 needed = WaitGraph(found).may_get_on() ? limit() * kMatchedFactor : limit();
    for (const RankState& state : found)
        if (state.phase == WaitPhase::Concluded) return true;
    return latest + needed <= now;
}

void Hang::report(const RankWait& wait) {
    rt::Vector<i32> behind, cycle;
    if (concluded_ && !everyone->empty()) {
        const WaitGraph graph(*everyone);
        graph.find_missing(all_->rank(), behind);
        graph.find_cycle(cycle);
    } else {
        for (const i32 rank : wait.ranks) behind.push_back(rank);
    }
    static rt::Global<rt::Text> sentence;  // the report keeps it
    sentence->reset();
    const LeftMessage left = node_->find_left(wait);
    node_->keep_left(left);
    add_wait(*sentence, *all_, wait, behind, left, cycle);
    if (wait.sends && options().mpi_buffering == MpiBuffering::None)
        sentence->add("; unsafe: only a buffer of the library would let it go on");
    findings::Finding finding;
    finding.kind = findings::FindingKind::MpiDeadlock;
    finding.name = wait.call;
    finding.sentence = sentence->c_str();
    static HChar subject[40];
    VG_(snprintf)(subject, sizeof subject, "Rank %d waits in", all_->rank());
    finding.subject = subject;
    finding.where = wait.context;
    findings::report(wait.thread, finding);
    last_ = {};
    last_.call = wait.call;
    last_.context = wait.context;
    last_.comm = wait.comm;
    last_.operation = wait.operation;
    last_.any = wait.any;
    last_.has_tag = wait.has_tag;
    last_.tag = wait.tag;
    for (const i32 rank : behind) last_.ranks.push_back(rank);
}

void Hang::ran(u32 thread) {
    if (!ends_ || end_program_ == 0) return;
    ends_ = false;
    VG_(set_IP)(thread, end_program_);
}

// A launcher ends all ranks when one has ended: who has just begun to wait is not stuck.
void Hang::told_to_end() {
    if (concluded_ || all_->rank() < 0) return;
    states->remove();
    everyone->clear();
    constexpr u64 kLeast = 3 * kSecond;
    const u64 now = vg::wall_microseconds();
    if (now - all_->last_move() < kLeast) return;
    if (const RankWait wait = waits_->find(now); wait.call != nullptr) report(wait);
}

namespace {

// Clocks of other nodes may go before or after.
constexpr u64 kToSeeAll = 200'000;  // several pauses
void sleep_until(u64 then) {
    if (const u64 now = vg::wall_microseconds(); then > now)
        vg::sleep(static_cast<u32>(std::min(then - now, 4 * kToSeeAll)));
}

// A launcher sees the end of a rank where nobody has its sockets and pipes any more.
void keep_files_open_until(u64 then) {
    if (VG_(fork)() != 0) return;
    sleep_until(then);
    VG_(exit)(0);
}

}  // namespace

// A launcher kills the other ranks when it sees that one has ended, and then tells their status: all ranks leave in
// the same moment, and a child of each keeps that from the launcher until the last one has got a processor to do
// so. The moment is a time after the last of them has concluded, so that each has seen all. The one that is first
// tidies up for all.
void Hang::wait_for_others() {
    if (limit() == 0) return;
    if (concluded_) {
        publish(last_, static_cast<u32>(WaitPhase::Concluded));
        const u64 begin = vg::wall_microseconds();
        u64 latest = begin;
        for (i32 rank = 0; rank < all_->size();) {
            RankState& state = *own;
            constexpr u32 kPause = 20'000;
            const bool told = states->read(rank, state);
            if (!told || state.phase == WaitPhase::Concluded || state.phase == WaitPhase::Ended) {
                if (told && state.concluded > latest) latest = state.concluded;
                ++rank;
            } else if (vg::wall_microseconds() - begin > kMostForOthers) {
                break;
            } else {
                vg::sleep(kPause);
            }
        }
        // All have seen all, and tidy up. Behind the second half nothing is left but the end.
        sleep_until(latest + kToSeeAll);
        for (i32 rank = 0; rank < all_->size(); ++rank) states->remove(rank);
        states->remove();
        keep_files_open_until(latest + 4 * kToSeeAll);
        return sleep_until(latest + 2 * kToSeeAll);
    }
    states->remove();
}

void Hang::show() {
    if (all_->rank() < 0) return;
    const RankWait wait = waits_->find(vg::wall_microseconds());
    if (wait.call == nullptr) {
        VG_(gdb_printf)("MPI: rank %d of %d is not in a call that waits\n", all_->rank(), all_->size());
        return;
    }
    rt::Text text;
    add_wait(text, *all_, wait, wait.ranks, node_->find_left(wait), {});
    VG_(gdb_printf)("Rank %d waits in %s %s\n", all_->rank(), wait.call, text.c_str());
    const auto print = [](UInt n, DiEpoch epoch, Addr ip, void*) {
        VG_(gdb_printf)("   %s %s\n", n == 0 ? "at" : "by", VG_(describe_IP)(epoch, ip, nullptr));
    };
    VG_(apply_ExeContext)(print, nullptr, context_of(wait.context));
}

}  // namespace memspy::mpi
