// SPDX-License-Identifier: GPL-2.0-or-later
//
// Proves that MPI calls become the right rows, messages and peers: communicators are translated to ranks of
// the world, completed requests are charged to the call that began them, and only a thread's outermost call
// counts.
#include "analyses/mpi/communication.h"

#include <gtest/gtest.h>

#include <vector>

namespace memspy::mpi {
namespace {

constexpr u64 kWorld = 100, kHalf = 200;  // handles
constexpr u32 kThread = 1;

class CommunicationTest : public testing::Test {
protected:
    CommunicationTest() {
        communication.world(2, 4);
        const int all[] = {0, 1, 2, 3}, half[] = {0, 2};
        communication.describe({kWorld, "MPI_COMM_WORLD", all, 4, nullptr, 0});
        communication.describe({kHalf, "", half, 2, nullptr, 0});
    }

    // A call from a context; `during` happens inside.
    template <typename During>
    void call(u32 number, u32 context, const MpiCallFacts& facts, During during) {
        const u64 begin = now;
        ASSERT_TRUE(
            communication.enter(kThread, number, begin, [&] { return static_cast<ContextId>(context); }));
        now += 10;
        during();
        communication.leave(kThread, facts, now);
        now += 5;
    }
    void call(u32 number, u32 context, const MpiCallFacts& facts) {
        call(number, context, facts, [] {});
    }

    // The oldest request of that handle.
    Pending complete(u64 request, u64 received, i32 source, i32 tag) {
        return communication.complete(kThread, {communication.await(request), received, source, tag}, now);
    }

    const CallRow& row(u32 number, u32 context) {
        for (const CallRow& row : communication.rows())
            if (row.call == number && row.context == static_cast<ContextId>(context)) return row;
        static const CallRow none;
        ADD_FAILURE() << "no row of " << name_of(number) << " in context " << context;
        return none;
    }

    Communication communication;
    u64 now = 1'000;
};

constexpr MpiCallFacts kNothing{
    .comm = kWorld, .peer = kMpiNobody, .source = kMpiNobody, .awaits = kMpiNobody, .root = kMpiNobody};

TEST_F(CommunicationTest, CountsASendByCallContextAndPeer) {
    MpiCallFacts facts = kNothing;
    facts.sent = 4'000;
    facts.peer = 3;
    call(kMpi_Send, 7, facts);
    call(kMpi_Send, 7, facts);
    call(kMpi_Send, 8, facts);
    EXPECT_EQ(row(kMpi_Send, 7).calls, 2u);
    EXPECT_EQ(row(kMpi_Send, 7).sent, 8'000u);
    EXPECT_EQ(row(kMpi_Send, 7).received, 0u);
    EXPECT_EQ(row(kMpi_Send, 7).time, 20u);
    EXPECT_EQ(row(kMpi_Send, 7).sizes[12], 2u);  // 2,048 to 4,095
    EXPECT_EQ(row(kMpi_Send, 8).calls, 1u);
    ASSERT_EQ(communication.peers().size(), 1u);
    EXPECT_EQ(communication.peers()[0].rank, 3);
    EXPECT_EQ(communication.peers()[0].sent, 12'000u);
    ASSERT_EQ(communication.sends().size(), 3u);
    EXPECT_EQ(communication.sends()[1].begin, 1'015u);
}

TEST_F(CommunicationTest, TranslatesRanksOfACommunicator) {
    MpiCallFacts facts = kNothing;
    facts.comm = kHalf;
    facts.sent = 8;
    facts.peer = 0;  // of {0, 2}
    call(kMpi_Send, 1, facts);
    facts.peer = 1;
    call(kMpi_Send, 1, facts);
    ASSERT_EQ(communication.peers().size(), 2u);
    EXPECT_EQ(communication.peers()[0].rank, 0);
    EXPECT_EQ(communication.peers()[1].rank, 2);
    EXPECT_EQ(communication.communicators()[0].listed, 4u);
    EXPECT_NE(communication.communicators()[0].group, communication.communicators()[1].group);
}

TEST_F(CommunicationTest, AReceiveIsChargedToTheCallThatBeganIt) {
    MpiCallFacts begun = kNothing;
    begun.request = 77;
    call(kMpi_Irecv, 5, begun);
    EXPECT_EQ(communication.open_requests(), 1u);
    call(kMpi_Waitall, 6, kNothing, [&] { complete(77, 1'000, 1, 9); });
    EXPECT_EQ(row(kMpi_Irecv, 5).received, 1'000u);
    EXPECT_EQ(row(kMpi_Irecv, 5).sizes[10], 1u);  // 512 to 1,023
    EXPECT_EQ(row(kMpi_Irecv, 5).sizes[0], 0u);   // the call itself moved nothing
    EXPECT_EQ(row(kMpi_Waitall, 6).received, 0u);
    EXPECT_EQ(communication.open_requests(), 0u);
    ASSERT_EQ(communication.receives().size(), 1u);
    const ReceiveEvent& event = communication.receives()[0];
    EXPECT_EQ(event.peer, 1);
    EXPECT_EQ(event.tag, 9);
    EXPECT_EQ(communication.rows()[event.row].call, u32{kMpi_Waitall});
    EXPECT_EQ(event.posted, 1'000u);
    EXPECT_EQ(event.begin, 1'015u);
    EXPECT_EQ(event.end, 1'025u);
}

TEST_F(CommunicationTest, AReceiveFromNobodyIsNoMessage) {
    MpiCallFacts begun = kNothing;
    begun.request = 77;
    call(kMpi_Irecv, 5, begun);
    call(kMpi_Wait, 6, kNothing, [&] { complete(77, 0, kMpiNobody, 0); });
    EXPECT_EQ(row(kMpi_Irecv, 5).sizes[0], 0u);
    call(kMpi_Irecv, 5, begun);
    call(kMpi_Wait, 6, kNothing, [&] { complete(77, 0, 1, 9); });
    EXPECT_EQ(row(kMpi_Irecv, 5).sizes[0], 1u);  // an empty one
    EXPECT_EQ(communication.open_requests(), 0u);
}

TEST_F(CommunicationTest, APersistentSendCountsEachTimeItIsStarted) {
    MpiCallFacts made = kNothing;
    made.request = 5;
    made.sent = 100;
    made.peer = 1;
    made.persistent = 1;
    call(kMpi_Send_init, 1, made);
    EXPECT_EQ(row(kMpi_Send_init, 1).sent, 0u);
    MpiCallFacts started = kNothing;
    started.comm = 0;
    started.request = 5;
    for (int i = 0; i < 3; ++i) {
        call(kMpi_Start, 2, started);
        call(kMpi_Wait, 3, kNothing, [&] { complete(5, 0, kMpiNobody, 0); });
    }
    EXPECT_EQ(row(kMpi_Start, 2).sent, 300u);
    EXPECT_EQ(communication.peers()[0].sent, 300u);
    EXPECT_EQ(communication.open_requests(), 0u);  // it is not started
    call(kMpi_Start, 2, started);
    EXPECT_EQ(communication.open_requests(), 1u);
}

// While a thread waits, the library completes its request and gives the handle to one of another thread.
TEST_F(CommunicationTest, AnAwaitedRequestIsNotTheNextOneWithItsHandle) {
    MpiCallFacts begun = kNothing;
    begun.request = 77;
    begun.sent = 100;
    begun.peer = 1;
    call(kMpi_Isend, 5, begun);
    const MpiAwaited awaited = communication.await(77);
    EXPECT_EQ(awaited & kMpiAwaitedReceives, 0u);
    EXPECT_EQ(communication.find_pending(77), nullptr);
    begun.sent = 0;
    call(kMpi_Irecv, 6, begun);
    EXPECT_FALSE(communication.find_pending(77)->shared);
    call(kMpi_Wait, 7, kNothing, [&] {
        const Pending was = communication.complete(kThread, {awaited, 0, kMpiNobody, 0}, now);
        EXPECT_EQ(communication.rows()[was.row].call, u32{kMpi_Isend});
    });
    EXPECT_EQ(communication.open_requests(), 1u);
    EXPECT_NE(communication.await(77) & kMpiAwaitedReceives, 0u);
}

TEST_F(CommunicationTest, AnAwaitedRequestThatIsNotCompleteIsGivenBack) {
    MpiCallFacts begun = kNothing;
    begun.request = 77;
    call(kMpi_Irecv, 5, begun);
    EXPECT_EQ(communication.await(78), 0u);
    communication.give_back(communication.await(77), false);
    EXPECT_EQ(communication.open_requests(), 1u);
    call(kMpi_Irecv, 6, begun);
    // The oldest one is still that.
    const Pending* first = communication.find_awaited(communication.await(77));
    EXPECT_EQ(communication.rows()[first->row].context, static_cast<ContextId>(5));
    communication.give_back(communication.await(77), true);
    EXPECT_EQ(communication.find_pending(77), nullptr);
    EXPECT_EQ(communication.open_requests(), 1u);
}

// Its handle stays, and threads mark its partitions while one waits.
TEST_F(CommunicationTest, APersistentRequestIsFoundWhileItIsAwaited) {
    MpiCallFacts made = kNothing;
    made.request = 5;
    made.persistent = 1;
    call(kMpi_Recv_init, 1, made);
    const MpiAwaited awaited = communication.await(5);
    ASSERT_NE(communication.find_pending(5), nullptr);
    EXPECT_EQ(communication.find_pending(5), communication.find_awaited(awaited));
    communication.give_back(awaited, false);
    EXPECT_EQ(communication.find_pending(5), communication.find_awaited(awaited));
    communication.give_back(awaited, true);
    EXPECT_EQ(communication.find_pending(5), nullptr);
}

TEST_F(CommunicationTest, RequestsWithOneHandleCompleteInTheirOrderAndAreShared) {
    MpiCallFacts begun = kNothing;
    begun.request = 77;
    call(kMpi_Isend, 5, begun);
    EXPECT_FALSE(communication.find_pending(77)->shared);
    call(kMpi_Isend, 6, begun);
    EXPECT_EQ(communication.open_requests(), 2u);
    for (u32 context : {5u, 6u})
        call(kMpi_Wait, 7, kNothing, [&] {
            const Pending was = complete(77, 0, kMpiNobody, 0);
            EXPECT_TRUE(was.used && was.shared);
            EXPECT_EQ(communication.rows()[was.row].context, static_cast<ContextId>(context));
        });
    EXPECT_EQ(communication.open_requests(), 0u);
    EXPECT_FALSE(complete(77, 0, kMpiNobody, 0).used);
}

TEST_F(CommunicationTest, BuffersBelongToTheRequestThatTheCallBegins) {
    static int data[4] = {1, 2, 3, 4};
    const Address at = reinterpret_cast<Address>(data);
    Buffers& buffers = communication.buffers();
    MpiCallFacts begun = kNothing;
    begun.request = 9;
    ASSERT_TRUE(communication.enter(kThread, kMpi_Irecv, now, [] { return ContextId::None; }));
    buffers.add(communication.in_call(kThread)->buffers, {.begin = at, .bytes = 8, .writes = true});
    buffers.add(communication.in_call(kThread)->buffers, {.begin = at + 12, .bytes = 4, .writes = true});
    communication.leave(kThread, begun, now);
    Pending* pending = communication.find_pending(9);
    EXPECT_NE(buffers.conflict(pending->buffers, {.begin = at + 7, .bytes = 1, .reads = true}), nullptr);
    EXPECT_EQ(buffers.conflict(pending->buffers, {.begin = at + 8, .bytes = 4, .writes = true}), nullptr);
    EXPECT_NE(buffers.conflict(pending->buffers, {.begin = at, .bytes = 16, .writes = true}), nullptr);
    communication.forget_request(9);
    EXPECT_EQ(communication.open_requests(), 0u);
    PieceList list;
    buffers.add(list, {.begin = at, .bytes = 4, .reads = true});
    EXPECT_EQ(buffers.conflict(list, {.begin = at, .bytes = 4, .reads = true}), nullptr);  // nobody writes
}

TEST(BuffersTest, AChangedByteChangesTheSum) {
    u8 bytes[100] = {};
    const u64 before = Buffers::checksum(bytes, sizeof bytes);
    for (u8& byte : bytes) {
        byte = 1;
        EXPECT_NE(Buffers::checksum(bytes, sizeof bytes), before);
        byte = 0;
    }
    EXPECT_EQ(Buffers::checksum(bytes, sizeof bytes), before);
}

TEST_F(CommunicationTest, WhatTheLibraryCallsOfItselfDoesNotCount) {
    call(kMpi_Allreduce, 1, kNothing, [&] {
        EXPECT_FALSE(communication.enter(kThread, kMpi_Send, now, [] { return ContextId::None; }));
        communication.leave(kThread, kNothing, now + 1);
    });
    ASSERT_EQ(communication.rows().size(), 1u);
    EXPECT_EQ(communication.rows()[0].calls, 1u);
    EXPECT_EQ(communication.collectives().size(), 1u);
}

TEST_F(CommunicationTest, EqualGroupsAreToldApartByWhoCameFirst) {
    const int half[] = {0, 2};
    communication.describe({kHalf + 1, "", half, 2, nullptr, 0});
    const auto& comms = communication.communicators();
    EXPECT_EQ(comms[1].group, comms[2].group);
    EXPECT_EQ(comms[1].ordinal, 0u);
    EXPECT_EQ(comms[2].ordinal, 1u);
}

TEST_F(CommunicationTest, OneSidedTransfersGoBothWays) {
    MpiCallFacts facts = kNothing;
    facts.sent = 64;
    facts.peer = 0;
    call(kMpi_Put, 1, facts);
    facts = kNothing;
    facts.received = 32;
    facts.source = 0;
    call(kMpi_Get, 1, facts);
    ASSERT_EQ(communication.peers().size(), 1u);
    EXPECT_EQ(communication.peers()[0].sent, 64u);
    EXPECT_EQ(communication.peers()[0].fetched, 32u);
    EXPECT_TRUE(communication.sends().empty());
}

TEST_F(CommunicationTest, AOneSidedOperationOwnsItsBufferUntilItsWindowIsSynchronised) {
    constexpr u64 kWindow = 300;
    const int all[] = {0, 1, 2, 3};
    communication.describe({kWindow, "", all, 4, nullptr, 0});
    static int data[4] = {1, 2, 3, 4};
    for (i32 target : {1, 3}) {
        ASSERT_TRUE(communication.enter(kThread, kMpi_Put, now, [] { return ContextId::None; }));
        communication.buffers().add(communication.in_call(kThread)->buffers,
                                    {.begin = reinterpret_cast<Address>(data), .bytes = 8, .reads = true});
        MpiCallFacts facts = kNothing;
        facts.comm = facts.window = kWindow;
        facts.sent = 8;
        facts.peer = target;
        communication.leave(kThread, facts, now);
    }
    EXPECT_EQ(communication.open_requests(), 0u);
    std::vector<i32> done;
    const auto note = [&](const Pending& pending) { done.push_back(pending.peer); };
    communication.synchronise(kWindow + 1, -1, note);
    EXPECT_EQ(done, std::vector<i32>{});
    communication.synchronise(kWindow, 3, note);
    EXPECT_EQ(done, std::vector<i32>{3});
    communication.synchronise(kWindow, -1, note);
    EXPECT_EQ(done, (std::vector<i32>{3, 1}));
}

TEST_F(CommunicationTest, ANameChangesNoIdentity) {
    const u64 before = communication.communicators()[1].group;
    communication.rename(kHalf, "rows");
    EXPECT_STREQ(communication.communicators()[1].name, "rows");
    EXPECT_EQ(communication.communicators()[1].group, before);
}

TEST_F(CommunicationTest, LargeCountsHaveTheirOwnName) {
    call(kMpi_Send + kMpiCalls, 1, kNothing);
    EXPECT_STREQ(name_of(communication.rows()[0].call), "MPI_Send_c");
    EXPECT_EQ(pattern_of(kMpi_Barrier + kMpiCalls), Pattern::AllToAll);
}

TEST_F(CommunicationTest, WorkSinceTheLastCollectiveOperationIsTheNextOnes) {
    const auto work_then_call = [&](u32 number, u64 from, u64 to) {
        communication.begins_work(from);
        communication.ceases_work(to);
        call(number, 1, kNothing);
    };
    work_then_call(kMpi_Barrier, 100, 130);
    work_then_call(kMpi_Send, 200, 240);  // no collective one: its work goes on
    work_then_call(kMpi_Allreduce, 300, 350);
    work_then_call(kMpi_Barrier, 400, 460);
    EXPECT_EQ(row(kMpi_Barrier, 1).worked, 30u + 60u);
    EXPECT_EQ(row(kMpi_Send, 1).worked, 0u);
    EXPECT_EQ(row(kMpi_Allreduce, 1).worked, 40u + 50u);
}

TEST_F(CommunicationTest, EventsAreBounded) {
    MpiCallFacts facts = kNothing;
    facts.sent = 1;
    facts.peer = 0;
    for (usize i = 0; i < Communication::kMostEvents + 3; ++i) call(kMpi_Send, 1, facts);
    EXPECT_EQ(communication.sends().size(), Communication::kMostEvents);
    EXPECT_EQ(communication.events_left_out(), 3u);
    EXPECT_EQ(row(kMpi_Send, 1).calls, Communication::kMostEvents + 3);
}

// A partitioned message is sent where its partitions become ready. What waits for it waits for the last one.
TEST_F(CommunicationTest, CountsPartitionsWhereTheyBecomeReady) {
    MpiCallFacts facts = kNothing;
    facts.sent = 40;
    facts.peer = 3;
    facts.tag = 6;
    facts.persistent = 1;
    facts.partitions = 4;
    facts.request = 77;
    call(kMpi_Psend_init, 1, facts);
    EXPECT_EQ(row(kMpi_Psend_init, 1).sent, 0u);
    for (int round = 0; round < 2; ++round) {
        MpiCallFacts start = kNothing;
        start.request = 77;
        call(kMpi_Start, 2, start);
        MpiCallFacts ready = kNothing;
        ready.request = 77;
        ready.partitions = 3;
        call(kMpi_Pready_range, 3, ready);
        EXPECT_EQ(communication.sends().size(), static_cast<usize>(round));
        ready.partitions = 1;
        call(kMpi_Pready, 4, ready);
        ASSERT_EQ(communication.sends().size(), static_cast<usize>(round + 1));
        call(kMpi_Wait, 5, kNothing, [&] { complete(77, 0, kMpiNobody, 0); });
    }
    EXPECT_EQ(row(kMpi_Start, 2).sent, 0u);
    EXPECT_EQ(row(kMpi_Pready_range, 3).sent, 60u);
    EXPECT_EQ(row(kMpi_Pready, 4).sent, 20u);
    EXPECT_EQ(row(kMpi_Pready, 4).sizes[4], 2u);
    EXPECT_EQ(communication.peers()[0].sent, 80u);
    // Not that of an ordinary message with tag 6.
    EXPECT_EQ(communication.sends()[0].tag, (i64{1} << 32) + 6);
    EXPECT_EQ(communication.sends()[0].tag, communication.sends()[1].tag);
    facts.request = 78;
    call(kMpi_Psend_init, 1, facts);
    EXPECT_EQ(communication.find_pending(78)->channel, 2u);
}

TEST_F(CommunicationTest, ReceivesAPartitionedMessageAsAWhole) {
    MpiCallFacts facts = kNothing;
    facts.comm = kHalf;
    facts.received = 40;
    facts.source = 0;
    facts.tag = 6;
    facts.persistent = 1;
    facts.partitions = 2;
    facts.request = 77;
    call(kMpi_Precv_init, 1, facts);
    EXPECT_EQ(row(kMpi_Precv_init, 1).received, 0u);
    MpiCallFacts start = kNothing;
    start.request = 77;
    call(kMpi_Start, 2, start);
    call(kMpi_Wait, 5, kNothing, [&] { complete(77, 0, kMpiNobody, 0); });
    EXPECT_EQ(row(kMpi_Precv_init, 1).received, 40u);
    ASSERT_EQ(communication.receives().size(), 1u);
    EXPECT_EQ(communication.receives()[0].peer, 0);
    EXPECT_EQ(communication.receives()[0].tag, (i64{1} << 32) + 6);
}

TEST_F(CommunicationTest, CountsWhatACollectiveOperationGivesToNeighbours) {
    MpiCallFacts facts = kNothing;
    facts.comm = kHalf;
    facts.sent = 12;
    const auto give = [this] {
        communication.gives(kThread, {kHalf, 1, 8});
        communication.gives(kThread, {kHalf, 0, 4});
    };
    const auto sent_to = [this](i32 rank) {
        for (const Peer& peer : communication.peers())
            if (peer.rank == rank) return peer.sent;
        return u64{0};
    };
    call(kMpi_Neighbor_alltoallv, 1, facts, give);
    EXPECT_EQ(sent_to(2), 8u);
    EXPECT_EQ(sent_to(0), 4u);
    facts.request = 77;
    facts.persistent = 1;
    call(kMpi_Neighbor_alltoallv_init, 2, facts, give);
    EXPECT_EQ(sent_to(2), 8u);
    for (int round = 0; round < 2; ++round) {
        MpiCallFacts start = kNothing;
        start.request = 77;
        call(kMpi_Start, 3, start);
        call(kMpi_Wait, 4, kNothing, [&] { complete(77, 0, kMpiNobody, 0); });
    }
    EXPECT_EQ(sent_to(2), 24u);
    EXPECT_EQ(sent_to(0), 12u);
    EXPECT_EQ(row(kMpi_Neighbor_alltoallv_init, 2).sent, 24u);
}

}  // namespace
}  // namespace memspy::mpi
