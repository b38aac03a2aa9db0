// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyses/mpi/rank_waits.h"

namespace memspy::mpi {
namespace {

// A program may ask often. Who has not got on for so long may be stuck.
constexpr u64 kPatience = 200'000;  // microseconds
// A rank whose last question is older than that computes.
constexpr u64 kRecent = 1'000'000;

void add_rank(RankWait& wait, i32 rank) {
    if (rank < 0) return;
    usize at = 0;
    while (at < wait.ranks.size() && wait.ranks[at] < rank) ++at;
    if (at < wait.ranks.size() && wait.ranks[at] == rank) return;
    wait.ranks.push_back(rank);
    for (usize i = wait.ranks.size() - 1; i > at; --i) wait.ranks[i] = wait.ranks[i - 1];
    wait.ranks[at] = rank;
}

}  // namespace

// The root of an operation waits for all, others for the root where it gives them something.
void RankWaits::add_all(CommId comm, i32 root, RankWait& wait) {
    const i32 root_rank = all_->world_rank(comm, root);
    if (root_rank >= 0 && root_rank != all_->rank())
        add_rank(wait, root_rank);
    else
        all_->for_each_other(comm, [&](i32 rank) { add_rank(wait, rank); });
}

void RankWaits::waits_on(CommId comm, RankWait& wait) const {
    wait.comm = comm;
    wait.for_strangers |=
        comm != CommId::None && all_->communicators()[static_cast<usize>(comm) - 1].has_strangers;
}

void RankWaits::add_pending(const Pending& pending, RankWait& wait) {
    const u32 call = all_->rows()[pending.row].call;
    waits_on(pending.comm, wait);
    if (is_collective(call)) {
        wait.operation = pending.operation;
        return add_all(pending.comm, pattern_of(call) == Pattern::OneToAll ? pending.root : kMpiNobody, wait);
    }
    // Partitions that this rank has not marked as ready no other one can.
    if (!pending.receives && pending.ready < pending.partitions) return;
    wait.has_tag = pattern_of(call) == Pattern::PointToPoint;
    if (pending.awaits == kMpiAnyone) {
        all_->for_each_other(pending.comm, [&](i32 rank) { add_rank(wait, rank); });
        wait.any = true;
    } else if (pending.receives) {
        add_rank(wait, all_->world_rank(pending.comm, pending.awaits >= 0 ? pending.awaits : pending.peer));
    } else {
        wait.sends = true;
        add_rank(wait, all_->world_rank(pending.comm, pending.peer));
    }
    wait.tag = pending.receives ? pending.awaited_tag : pending.tag;
}

void RankWaits::describe(const InCall& in, RankWait& wait) {
    wait.call = name_of(in.call);
    wait.context = in.context;
    wait.thread = in.thread;
    for (u32 i = 0; i < in.waiting_count; ++i) {
        const Pending* pending = all_->find_awaited(in.waiting[i]);
        if (pending != nullptr && pending->used && pending->active) add_pending(*pending, wait);
    }
    if (waits_for_one(in.call)) wait.any = true;
    if (in.waiting_count != 0) return;
    const MpiCallFacts& facts = in.facts;
    const CommId comm = all_->comm_of(facts.comm);
    waits_on(comm, wait);
    wait.for_strangers |= meets_strangers(in.call);
    wait.operation = in.operation;
    const Pattern pattern = pattern_of(in.call);
    if (facts.awaits == kMpiAnyone) {
        all_->for_each_other(comm, [&](i32 rank) { add_rank(wait, rank); });
        wait.any = true;
    }
    if (pattern == Pattern::PointToPoint) {
        add_rank(wait, all_->world_rank(comm, facts.awaits));
        wait.sends = facts.peer >= 0 && facts.awaits == kMpiNobody;
        if (facts.peer >= 0) add_rank(wait, all_->world_rank(comm, facts.peer));
        wait.has_tag = facts.awaits != kMpiNobody || facts.peer >= 0;
        wait.tag = facts.awaits != kMpiNobody ? facts.awaited_tag : facts.tag;
    } else if (facts.awaits >= 0) {
        const i32 owner = all_->world_rank(comm, facts.awaits);
        add_rank(wait, owner);
        wait.for_part = true;
        wait.is_exclusive = facts.is_exclusive != 0 || all_->locks().is_exclusive(comm, owner);
    } else if (facts.awaits == kMpiNobody && comm != CommId::None &&
               (in.operation != 0 || pattern != Pattern::FileAccess)) {
        add_all(comm, pattern == Pattern::OneToAll ? facts.root : kMpiNobody, wait);
    }
}

void RankWaits::asked_in_vain(u32 thread, u64 now) {
    const InCall* const in = all_->in_call(thread);
    if (in == nullptr || in->depth != 1 || now - all_->last_move() < kPatience) return;
    if (asked_moves_ != all_->moves()) asked_ = {};
    asked_moves_ = all_->moves();
    asked_at_ = now;
    RankWait question;
    describe(*in, question);
    for (const i32 rank : asked_.ranks) add_rank(question, rank);
    question.any |= asked_.call != nullptr;
    question.for_strangers |= asked_.for_strangers;
    asked_ = static_cast<RankWait&&>(question);
}

RankWait RankWaits::find(u64 now) {
    const InCall* oldest = nullptr;
    all_->for_each_call([&](InCall& in) {
        if (in.is_told && !asks_only(in.call) && (oldest == nullptr || in.begin < oldest->begin))
            oldest = &in;
    });
    RankWait wait;
    if (oldest != nullptr) {
        describe(*oldest, wait);
    } else if (finalizing_ != ContextId::None) {
        wait.call = "MPI_Finalize";
        wait.context = finalizing_;
        wait.thread = finalizing_thread_;
        add_all(CommId::None, kMpiNobody, wait);
    } else if (asked_.call != nullptr && asked_moves_ == all_->moves() && now - asked_at_ < kRecent) {
        const RankWait& from = asked_;
        wait.call = from.call;
        wait.context = from.context;
        wait.thread = from.thread;
        wait.comm = from.comm;
        wait.operation = from.operation;
        wait.any = from.any;
        wait.for_strangers = from.for_strangers;
        wait.sends = from.sends;
        wait.has_tag = from.has_tag;
        wait.tag = from.tag;
        for (const i32 rank : from.ranks) wait.ranks.push_back(rank);
    }
    return wait;
}

}  // namespace memspy::mpi
