// SPDX-License-Identifier: GPL-2.0-or-later
//
// Proves that it follows from a rank's calls for whom it waits, and from what all ranks tell who is behind, whether a circle
// of them is stuck, and that calls that match each other are given time.
#include "analyses/mpi/rank_waits.h"

#include <gtest/gtest.h>

#include <vector>

#include "analyses/mpi/wait_graph.h"

namespace memspy::mpi {
namespace {

constexpr u64 kWorld = 100;
constexpr u32 kThread = 1;
using Ranks = std::vector<i32>;

Ranks ranks_of(const rt::Vector<i32>& ranks) { return {ranks.begin(), ranks.end()}; }

MpiCallFacts nothing() {
    MpiCallFacts facts{};
    facts.comm = kWorld;
    facts.peer = facts.source = facts.awaits = facts.root = kMpiNobody;
    return facts;
}

class WaitsTest : public testing::Test {
protected:
    WaitsTest() {
        communication.world(2, 4);
        const int all[] = {0, 1, 2, 3};
        communication.describe({kWorld, "MPI_COMM_WORLD", all, 4, nullptr, 0, 0});
        waits.attach(communication);
    }
    void enter(u32 call) {
        communication.enter(kThread, call, now, [] { return static_cast<ContextId>(7); });
    }
    Ranks waits_in(u32 call, const MpiCallFacts& facts) {
        enter(call);
        communication.about_to(kThread, facts);
        const RankWait wait = waits.find(now);
        EXPECT_STREQ(wait.call, name_of(call));
        any = wait.any;
        communication.leave(kThread, facts, now += 10);
        return ranks_of(wait.ranks);
    }

    Communication communication;
    RankWaits waits;
    u64 now = 1'000'000;
    bool any = false;
};

TEST_F(WaitsTest, MessagesAndOperations) {
    MpiCallFacts facts = nothing();
    facts.awaits = 3;
    EXPECT_EQ(waits_in(kMpi_Recv, facts), Ranks{3});
    facts.awaits = kMpiAnyone;
    EXPECT_EQ(waits_in(kMpi_Recv, facts), (Ranks{0, 1, 3}));
    EXPECT_TRUE(any);
    facts = nothing();
    facts.peer = 1;
    EXPECT_EQ(waits_in(kMpi_Send, facts), Ranks{1});
    facts.awaits = 0;
    EXPECT_EQ(waits_in(kMpi_Sendrecv, facts), (Ranks{0, 1}));
    EXPECT_FALSE(any);
    facts = nothing();
    EXPECT_EQ(waits_in(kMpi_Barrier, facts), (Ranks{0, 1, 3}));
    facts.root = 1;
    EXPECT_EQ(waits_in(kMpi_Bcast, facts), Ranks{1});
    facts.root = 2;
    EXPECT_EQ(waits_in(kMpi_Bcast, facts), (Ranks{0, 1, 3}));
    EXPECT_EQ(communication.communicators()[0].operations, 3u);
    EXPECT_EQ(waits.find(now).call, nullptr) << "it computes";
}

TEST_F(WaitsTest, Requests) {
    MpiCallFacts facts = nothing();
    facts.awaits = 3;
    facts.request = 50;
    waits_in(kMpi_Irecv, facts);
    facts = nothing();
    facts.peer = 0;
    facts.request = 51;
    waits_in(kMpi_Isend, facts);
    enter(kMpi_Waitall);
    MpiAwaited awaited[2] = {communication.await(50), communication.await(51)};
    communication.waits_for(kThread, awaited, 2);
    EXPECT_EQ(ranks_of(waits.find(now).ranks), (Ranks{0, 3}));
    awaited[0] = 0;
    EXPECT_EQ(ranks_of(waits.find(now).ranks), Ranks{0}) << "the other one is complete";
}

TEST_F(WaitsTest, Strangers) {
    const int merged[] = {2, -1};
    communication.describe({kWorld + 1, "", merged, 2, nullptr, 0, 0});
    const auto are_awaited = [&](u32 call, u64 comm, int from) {
        MpiCallFacts facts = nothing();
        facts.comm = comm;
        facts.awaits = from;
        enter(call);
        communication.about_to(kThread, facts);
        const bool answer = waits.find(now).for_strangers;
        communication.leave(kThread, facts, now += 10);
        return answer;
    };
    EXPECT_TRUE(are_awaited(kMpi_Recv, kWorld + 1, 1));
    EXPECT_FALSE(are_awaited(kMpi_Recv, kWorld, 1));
    EXPECT_TRUE(are_awaited(kMpi_Comm_accept, kWorld, kMpiNobody));
    MpiCallFacts facts = nothing();
    facts.comm = kWorld + 1;
    facts.awaits = 1;
    facts.request = 50;
    waits_in(kMpi_Irecv, facts);
    enter(kMpi_Wait);
    MpiAwaited awaited[1] = {communication.await(50)};
    communication.waits_for(kThread, awaited, 1);
    EXPECT_TRUE(waits.find(now).for_strangers);
}

TEST_F(WaitsTest, Locks) {
    MpiCallFacts facts = nothing();
    facts.awaits = 1;
    facts.is_exclusive = 1;
    EXPECT_EQ(waits_in(kMpi_Win_lock, facts), Ranks{1});
    ASSERT_EQ(communication.locks().all().size(), 1u);
    EXPECT_EQ(communication.locks().all()[0].target, 1);
    facts.is_exclusive = 0;
    enter(kMpi_Win_flush);
    communication.about_to(kThread, facts);
    RankWait wait = waits.find(now);
    EXPECT_TRUE(wait.for_part);
    EXPECT_TRUE(wait.is_exclusive) << "it has locked the part so";
    communication.leave(kThread, facts, now += 10);
    waits_in(kMpi_Win_unlock, facts);
    EXPECT_TRUE(communication.locks().all().empty());
    facts.failed = 1;
    waits_in(kMpi_Win_lock, facts);
    EXPECT_TRUE(communication.locks().all().empty());
}

// MPICH does not tell that a request to MPI_PROC_NULL has ended.
TEST_F(WaitsTest, StartsToNobody) {
    for (const i32 peer : Ranks{kMpiNobody, 3}) {
        MpiCallFacts facts = nothing();
        facts.peer = peer;
        facts.request = 60 + static_cast<u64>(peer + 1);
        facts.persistent = 1;
        waits_in(kMpi_Send_init, facts);
        MpiCallFacts start = nothing();
        start.request = facts.request;
        waits_in(kMpi_Start, start);
        EXPECT_EQ(communication.find_pending(facts.request)->active, peer == 3);
    }
}

TEST_F(WaitsTest, QuestionsInVain) {
    MpiCallFacts facts = nothing();
    facts.in_vain = 1;
    communication.moved(now);
    for (const int rank : {0, 3, 0}) {
        now += 300'000;
        facts.awaits = rank;
        enter(kMpi_Iprobe);
        communication.about_to(kThread, facts);
        waits.asked_in_vain(kThread, now);
        communication.leave(kThread, facts, now);
    }
    const RankWait wait = waits.find(now);
    EXPECT_STREQ(wait.call, "MPI_Iprobe");
    EXPECT_EQ(ranks_of(wait.ranks), (Ranks{0, 3}));
    EXPECT_TRUE(wait.any);
    EXPECT_EQ(waits.find(now + 2'000'000).call, nullptr) << "it does not ask any more";
    communication.moved(now);
    EXPECT_EQ(waits.find(now).call, nullptr) << "it has got on";
}

class WaitGraphTest : public testing::Test {
protected:
    explicit WaitGraphTest() {
        for (i32 rank = 0; rank < 3; ++rank) {
            states.push_back({});
            states.back().rank = rank;
            states.back().phase = RankState::WaitPhase::Waits;
        }
    }
    void waits(usize rank, const char* call, const Ranks& others) {
        RankState& state = states[rank];
        for (usize i = 0; call[i] != '\0'; ++i) state.call[i] = call[i];
        for (const i32 other : others) state.ranks[state.count++] = other;
    }
    void has_begun(usize rank, u64 operations) {
        states[rank].comms[0] = {1, 0, operations};
        states[rank].comm_count = 1;
    }
    Ranks cycle() {
        rt::Vector<i32> found;
        WaitGraph(states).find_cycle(found);
        return ranks_of(found);
    }
    Ranks missing(i32 rank) {
        rt::Vector<i32> found;
        WaitGraph(states).find_missing(rank, found);
        return ranks_of(found);
    }
    rt::Vector<RankState> states;
};

TEST_F(WaitGraphTest, Circle) {
    waits(0, "MPI_Recv", {2});
    waits(1, "MPI_Recv", {2});
    waits(2, "MPI_Recv", {1});
    EXPECT_EQ(cycle(), (Ranks{1, 2}));
    states[2].phase = RankState::WaitPhase::Ended;
    EXPECT_EQ(cycle(), Ranks{});
}

TEST_F(WaitGraphTest, WhoIsBehind) {
    for (usize rank = 0; rank < 2; ++rank) {
        waits(rank, "MPI_Barrier", {0, 1, 2});
        states[rank].group = 1;
        states[rank].operation = 5;
        has_begun(rank, 5);
    }
    waits(2, "MPI_Finalize", {0, 1});
    has_begun(2, 4);
    EXPECT_EQ(missing(0), Ranks{2});
    EXPECT_EQ(missing(2), (Ranks{0, 1}));
    EXPECT_FALSE(WaitGraph(states).may_get_on());
    has_begun(2, 5);
    EXPECT_TRUE(WaitGraph(states).may_get_on()) << "all have come";
    states[2].group = 1;
    states[2].disagrees = 1;
    EXPECT_FALSE(WaitGraph(states).may_get_on()) << "to operations that do not match";
    EXPECT_EQ(missing(1), Ranks{2});
    EXPECT_EQ(missing(0), (Ranks{0, 1, 2}));
}

TEST_F(WaitGraphTest, LockedParts) {
    waits(0, "MPI_Win_lock", {2});
    waits(1, "MPI_Win_lock", {0});
    for (usize rank = 0; rank < 2; ++rank) states[rank].for_part = 1;
    EXPECT_EQ(missing(0), Ranks{2}) << "nobody has locked it";
    const auto locks = [&](usize rank, i32 target, u32 is_exclusive) {
        states[rank].locks[0] = {0, 0, target, is_exclusive};
        states[rank].lock_count = 1;
    };
    locks(1, 2, 0);
    EXPECT_EQ(missing(0), Ranks{2}) << "both locks are shared";
    states[0].is_exclusive = 1;
    EXPECT_EQ(missing(0), Ranks{1});
    locks(0, -1, 1);
    EXPECT_EQ(cycle(), (Ranks{0, 1}));
    states[0].locks[0].ordinal = 1;
    EXPECT_EQ(missing(1), Ranks{0}) << "of another window: the owner";
}

TEST_F(WaitGraphTest, CallsThatMatch) {
    waits(0, "MPI_Send", {1});
    waits(1, "MPI_Recv", {0});
    waits(2, "MPI_Finalize", {0, 1});
    for (usize rank = 0; rank < 2; ++rank) states[rank].has_tag = 1;
    states[0].sends = 1;
    states[0].tag = 3;
    states[1].tag = 4;
    EXPECT_FALSE(WaitGraph(states).may_get_on());
    states[1].tag = -1;
    EXPECT_TRUE(WaitGraph(states).may_get_on());
}

}  // namespace
}  // namespace memspy::mpi
