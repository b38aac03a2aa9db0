// SPDX-License-Identifier: GPL-2.0-or-later
//
// Proves who is said to have waited, on events of two ranks written by hand: a receive for its sender, a collective
// call for the last to come, on clocks that began at different times; messages match in order, by tag and communicator.
#include "report/sections/mpi/waiting.h"

#include <gtest/gtest.h>

namespace memspy::report::mpi {
namespace {

constexpr u64 kSend = 1, kRecv = 2, kWait = 3, kBarrier = 4;  // numbers of calls
constexpr u64 kWorld = 1, kOther = 2;                         // numbers of communicators

// The second rank's clock began 1,000 microseconds later, and it numbers the communicators the other way round.
class WaitingTest : public testing::Test {
protected:
    WaitingTest() {
        zero.rank = 0;
        zero.began = 5'000;
        zero.communicators = {{0, kWorld, "MPI_COMM_WORLD", 2, Address{0xa}, 0},
                              {0, kOther, "", 2, Address{0xa}, 1}};
        one.rank = 1;
        one.began = 6'000;
        one.communicators = {{1, kOther, "MPI_COMM_WORLD", 2, Address{0xa}, 0},
                             {1, kWorld, "", 2, Address{0xa}, 1}};
    }
    std::map<CallKey, LostTime> result() const { return waiting({{0, zero}, {1, one}}); }
    using Waited = std::map<CallKey, LostTime>;
    static LostTime sender(u64 microseconds) { return {.late_sender = microseconds, .all = microseconds}; }

    RankEvents zero, one;
};

TEST_F(WaitingTest, AReceiveWaitsUntilTheSenderBegins) {
    zero.sends = {kWorld, 1, 7, kSend, 1'300, 1'301};  // at 6,300
    one.receives = {kOther, 0, 7, kRecv, 100, 100, 350};  // from 6,100 to 6,350
    EXPECT_EQ(result(), (Waited{{{1, kRecv}, sender(200)}}));
}

TEST_F(WaitingTest, NobodyWaitsForWhatWasSentBefore) {
    zero.sends = {kWorld, 1, 7, kSend, 1'050, 1'051};
    one.receives = {kOther, 0, 7, kRecv, 100, 100, 350};
    EXPECT_EQ(result(), Waited{});
}

TEST_F(WaitingTest, ASendThatEndsBehindThePostWaitedForIt) {
    zero.sends = {kWorld, 1, 7, kSend, 1'000, 1'600};          // from 6,000 to 6,600
    one.receives = {kOther, 0, 7, kRecv, 450, 900, 1'000};     // posted at 6,450, completed by a later call
    EXPECT_EQ(result(), (Waited{{{0, kSend}, {.late_receiver = 450, .all = 450}}}));
    one.receives = {kOther, 0, 7, kRecv, 700, 900, 1'000};     // the library had kept the message
    EXPECT_EQ(result(), Waited{});
}

TEST_F(WaitingTest, NoLongerThanTheCallLasts) {
    zero.sends = {kWorld, 1, 7, kSend, 9'000, 9'001};  // clocks that disagree
    one.receives = {kOther, 0, 7, kRecv, 100, 100, 350};
    EXPECT_EQ(result(), (Waited{{{1, kRecv}, sender(250)}}));
}

TEST_F(WaitingTest, MessagesMatchInOrderByTagAndCommunicator) {
    zero.sends = {kWorld, 1, 7, kSend, 1'150, 1'151, kWorld, 1, 8, kSend, 1'160, 1'161,
                  kOther, 1, 7, kSend, 1'170, 1'171, kWorld, 1, 7, kSend, 1'180, 1'181};
    one.receives = {kWorld, 0, 7, kRecv, 100, 100, 300,  // the third
                    kOther, 0, 8, kWait, 100, 100, 300,  // the second
                    kOther, 0, 7, kSend, 100, 100, 300,  // the first, then the last
                    kOther, 0, 7, kSend, 100, 110, 300};
    EXPECT_EQ(result(), (Waited{{{1, kRecv}, sender(70)}, {{1, kWait}, sender(60)}, {{1, kSend}, sender(50 + 70)}}));
}

// MPI_Waitall waits for the later one, MPI_Sendrecv for sender and receiver at once.
TEST_F(WaitingTest, ACallWaitsNoLongerThanForItsLastPartner) {
    zero.sends = {kWorld, 1, 7, kSend, 1'300, 1'301, kWorld, 1, 8, kSend, 1'320, 1'321};
    one.receives = {kOther, 0, 7, kWait, 50, 100, 350, kOther, 0, 8, kWait, 50, 100, 350};
    EXPECT_EQ(result(), (Waited{{{1, kWait}, sender(220)}}));
    zero.sends = {kWorld, 1, 7, kRecv, 1'300, 1'600};
    zero.receives = {kWorld, 1, 7, kRecv, 1'300, 1'300, 1'600};
    one.sends = {kOther, 0, 7, kRecv, 500, 700};
    one.receives = {kOther, 0, 7, kRecv, 500, 500, 700};
    EXPECT_EQ(result(), (Waited{{{0, kRecv}, {.late_sender = 200, .late_receiver = 200, .all = 200}}}));
}

TEST_F(WaitingTest, CollectiveCallsWaitForTheLastOfTheirPlace) {
    zero.collectives = {kWorld, kBarrier, 1'000, 1'500, kWorld, kBarrier, 2'000, 2'100};
    one.collectives = {kOther, kBarrier, 400, 510, kOther, kBarrier, 950, 1'110};
    EXPECT_EQ(result(), (Waited{{{0, kBarrier}, {.collective = 400, .all = 400, .imbalance = 400}},
                               {{1, kBarrier}, {.collective = 50, .all = 50, .imbalance = 50}}}));
}

TEST_F(WaitingTest, WithoutThePartnersProfileNothingIsTold) {
    one.receives = {kOther, 0, 7, kRecv, 100, 100, 350};
    one.collectives = {kOther, kBarrier, 400, 510};
    EXPECT_EQ(waiting({{1, one}}), Waited{});
}

TEST_F(WaitingTest, NumbersThatEndWithinAnEventAreLeftOut) {
    zero.sends = {kWorld, 1, 7, kSend, 1'300, 1'301, kWorld, 1};
    one.receives = {kOther, 0, 7, kRecv, 100, 100, 350, kOther, 0, 7};
    EXPECT_EQ(result(), (Waited{{{1, kRecv}, sender(200)}}));
}

}  // namespace
}  // namespace memspy::report::mpi
