// SPDX-License-Identifier: GPL-2.0-or-later
//
// The time that ranks waited for each other, from the events of all ranks with a profile. A call waits while
// it has begun and the partner that it needs has not begun its own call: for a message the sender, for a
// blocking collective operation the last rank to arrive. A send that ends after its receive was posted has
// waited for it; one that ends before had its message kept by the library. Messages match in the order of
// sending, by sender, receiver, communicator and tag, as MPI guarantees. Clocks of different machines are
// used unchanged.
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
    std::vector<u64> sends, receives, collectives;  // the same as in the records
};

// The events of all ranks, from the records of <mpi>.
class MpiEvents {
public:
    void take(const AnyRecord& record);
    const std::map<u64, RankEvents>& ranks() const { return ranks_; }

private:
    RankEvents& of(u64 rank);

    std::map<u64, RankEvents> ranks_;
};

// Microseconds, summed over the times that a call was made. One that waits for several partners at once
// (MPI_Waitall) waits for the last of them.
struct LostTime {
    u64 late_sender = 0, late_receiver = 0, collective = 0;
    u64 all = 0;  // for any of these; not their sum: MPI_Sendrecv waits for both at once
    // Of its collective operations, from the first rank's arrival to the last one's; charged to the first.
    u64 imbalance = 0;
    bool operator==(const LostTime&) const = default;
};

// A call that never waited has no entry. Incomplete events are left out.
std::map<CallKey, LostTime> waiting(const std::map<u64, RankEvents>& ranks);

// One time that a rank waited in a call, and for whom: the last of several.
struct LongWait {
    CallKey call;
    u64 begin = 0;  // microseconds since 1970
    u64 waited = 0;
    u64 whom = 0;
    bool operator==(const LongWait&) const = default;
};
// For a picture: of each rank its `most` longest, in ascending time; ranks ascending.
std::vector<LongWait> longest_waits(const std::map<u64, RankEvents>& ranks, std::size_t most);

}  // namespace memspy::report::mpi
