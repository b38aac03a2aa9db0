// SPDX-License-Identifier: GPL-2.0-or-later
//
// The LogGP parameters of the network between two processes (Alexandrov, Ionescu, Schauser, Scheiman: LogGP,
// SPAA 1995), found from round trips as Hoefler, Lichei and Rehm do (Low-Overhead LogGP Parameter Assessment
// for Modern Interconnection Networks, IPDPS 2007). R(n, d, s) is the time from the first of n messages of s
// bytes, with d of computing behind each but the last, until one answer of s bytes has come.
//
//     R(1, 0, s)                          = 2 (L + 2 o + (s-1) G)
//     (R(n, 0, s) - R(1, 0, s)) / (n-1)   = g + (s-1) G           for each s; a line through these gives g and G
//     (R(n, d, 1) - R(1, 0, 1)) / (n-1)   = o + d                 if that is more than g
//
// Libraries change their protocol with the size, so the line has up to three stretches. Nothing here knows
// MPI.
#pragma once

#include <vector>

#include "machine/clock.h"
#include "machine/figure.h"

namespace memspy::machine {

struct RoundTrip {
    double ns = 0;
    double computed_ns = 0;  // the part that was delay
};

// The two processes.
class MessagePair {
public:
    virtual ~MessagePair() = default;
    virtual RoundTrip round_trip(unsigned messages, double delay_ns, u64 bytes) = 0;
};

struct SizeTimes {
    u64 bytes = 0;
    double one_way_ns = 0;      // R(1, 0, s) / 2
    double per_message_ns = 0;  // (R(n, 0, s) - R(1, 0, s)) / (n-1)
};

// Messages of first to last bytes: gap + (bytes - 1) * gap_per_byte.
struct SizeStretch {
    u64 first = 0, last = 0;
    double gap_ns = 0, gap_per_byte_ns = 0;
};

struct LogGp {
    Figure<double> latency_ns, overhead_ns;
    Figure<double> gap_ns;           // of the smallest messages
    Figure<double> gap_per_byte_ns;  // of the largest
    std::vector<SizeStretch> stretches;
    std::vector<SizeTimes> times;
};

LogGp measure_pair(MessagePair& pair, u64 most_bytes, const Deadline& deadline);

// The fewest stretches, up to three, of at least three sizes each, by which no time is off by more than
// `tolerance`. Empty if there are none. `times` ascend by size.
std::vector<SizeStretch> fit_stretches(const std::vector<SizeTimes>& times, double tolerance);

}  // namespace memspy::machine
