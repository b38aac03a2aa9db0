// SPDX-License-Identifier: GPL-2.0-or-later
//
// On a simulated network the parameters that were planted are found, with disturbances that make times longer, and with
// two protocols; where times are not those of any such network, nothing is.
#include "machine/loggp.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

namespace memspy::machine {
namespace {

struct Planted {
    double latency, overhead, gap, per_byte;
    u64 rendezvous = 0;  // from this size on each message takes `handshake` more; 0: never
    double handshake = 0;
    double disturbed = 0;  // share of the round trips
    double chaos = 0;      // the times of each size are off by a factor of up to this
};

class Simulated : public MessagePair {
public:
    explicit Simulated(const Planted& planted) : planted_(planted) {}

    RoundTrip round_trip(unsigned messages, double delay, u64 bytes) override {
        const double body = static_cast<double>(bytes - 1) * planted_.per_byte;
        const double more = planted_.rendezvous != 0 && bytes >= planted_.rendezvous ? planted_.handshake : 0;
        const double each = std::max(planted_.overhead + delay, planted_.gap + body + more);
        double ns = 2 * (planted_.latency + 2 * planted_.overhead + body + more) + (messages - 1) * each;
        ns *= 1 + 0.01 * uniform_(random_);
        if (uniform_(random_) < planted_.disturbed) ns += 20'000 * uniform_(random_);
        std::mt19937 of_size(static_cast<unsigned>(bytes * messages));
        ns *= std::pow(1 + planted_.chaos, 2 * std::uniform_real_distribution<double>(0, 1)(of_size) - 1);
        return {ns, (messages - 1) * delay};
    }

private:
    Planted planted_;
    std::mt19937 random_{7};
    std::uniform_real_distribution<double> uniform_{0, 1};
};

LogGp measured(const Planted& planted) {
    Simulated network(planted);
    return measure_pair(network, u64{1} << 20, Deadline(20));
}

void expect_found(const Planted& planted) {
    const LogGp found = measured(planted);
    ASSERT_TRUE(found.latency_ns && found.overhead_ns && found.gap_ns && found.gap_per_byte_ns);
    EXPECT_NEAR(*found.latency_ns, planted.latency, 0.1 * planted.latency);
    EXPECT_NEAR(*found.overhead_ns, planted.overhead, 0.15 * planted.overhead);
    EXPECT_NEAR(*found.gap_ns, planted.gap, 0.1 * planted.gap);
    EXPECT_NEAR(*found.gap_per_byte_ns, planted.per_byte, 0.1 * planted.per_byte);
}

TEST(LogGp, FindsWhatWasPlanted) {
    expect_found({1500, 300, 450, 0.35});    // a cluster's network
    expect_found({25'000, 2000, 4000, 8});   // gigabit Ethernet
    expect_found({300, 150, 200, 0.1});      // shared memory
}

TEST(LogGp, DisturbancesDoNotMatter) {
    expect_found({.latency = 1500, .overhead = 300, .gap = 450, .per_byte = 0.35, .disturbed = 0.5});
}

TEST(LogGp, TwoProtocolsAreTwoStretches) {
    const Planted planted{.latency = 1500, .overhead = 300, .gap = 450, .per_byte = 0.35, .rendezvous = 16384, .handshake = 9000};
    expect_found(planted);
    const LogGp found = measured(planted);
    ASSERT_EQ(found.stretches.size(), 2u);
    EXPECT_EQ(found.stretches[0].last, 8192u);
    EXPECT_EQ(found.stretches[1].first, 16384u);
    EXPECT_NEAR(found.stretches[1].gap_ns, 450 + 9000, 950);
}

TEST(LogGp, NothingIsFoundInChaos) {
    const LogGp found = measured({.latency = 1500, .overhead = 300, .gap = 450, .per_byte = 0.35, .chaos = 2});
    EXPECT_FALSE(found.gap_per_byte_ns);
    EXPECT_FALSE(found.gap_per_byte_ns.how.empty());
    EXPECT_TRUE(found.stretches.empty());
}

}  // namespace
}  // namespace memspy::machine
