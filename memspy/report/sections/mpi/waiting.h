// SPDX-License-Identifier: GPL-2.0-or-later
//
// Who waited for whom, from the events of all ranks that there are. A call waits as long as it goes on while the
// partner that it needs has not begun its own call: for a message the sender, for a blocking collective operation the
// last rank to come. Messages match in the order in which they were sent, by sender, receiver, communicator and tag,
// as MPI promises. Clocks of different machines are taken as they are.
#pragma once

#include <map>
#include <vector>

#include "report/sections/mpi/records.h"

namespace memspy::report::mpi {

struct CallKey {
    u64 rank, number;
    auto operator<=>(const CallKey&) const = default;
};

// The events of one rank.
struct RankEvents {
    u64 rank = 0;
    u64 began = 0;
    std::vector<Communicator> communicators;
    std::vector<u64> sends, receives, collectives;  // as in the records
};

// Those of all ranks, from the records of <mpi>.
class MpiEvents {
public:
    void take(const AnyRecord& record);
    const std::map<u64, RankEvents>& ranks() const { return ranks_; }

private:
    RankEvents& of(u64 rank);

    std::map<u64, RankEvents> ranks_;
};

// Microseconds that each call waited, in sum over its events; a call that never waited has no entry. Numbers that do
// not come in whole events are left out.
std::map<CallKey, u64> waiting(const std::map<u64, RankEvents>& ranks);

}  // namespace memspy::report::mpi
