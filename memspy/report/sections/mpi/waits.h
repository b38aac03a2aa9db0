// SPDX-License-Identifier: GPL-2.0-or-later
//
// Ranks that were ended in a call of MPI: for whom each waited, and which waited for each other. Messages that nobody
// received.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "report/catalog.h"
#include "report/sections/mpi/records.h"

namespace memspy::report {
class TextPart;
class TextView;
}  // namespace memspy::report

namespace memspy::report::mpi {

class WaitingRanks {
public:
    void take(const AnyRecord& record);
    bool empty() const { return waits_.empty(); }
    // A line for each message that nobody received; none of them: "".
    std::string unreceived() const;
    // Of the ranks that `rank` waited for those that had not come to its collective operation; all if that is
    // not known.
    std::vector<u64> missing(const Wait& wait) const;
    // The ranks of a circle, the lowest first; none if there is none.
    std::vector<u64> cycle() const;
    // A line for each rank, and one for the circle.
    std::string text(const Catalog& places) const;

private:
    struct OfRank {
        std::map<u64, Communicator> comms;  // by number
    };
    bool has_come(u64 rank, const Communicator& comm, u64 operation) const;

    std::map<u64, Wait> waits_;  // by rank
    std::vector<Unreceived> left_;
    std::map<u64, OfRank> ranks_;
};

std::unique_ptr<TextPart> text_part(const TextView& view);

}  // namespace memspy::report::mpi
