// SPDX-License-Identifier: GPL-2.0-or-later
//
// What follows from the states of all ranks: who of those that a rank waits for is really behind, and whether
// any can get on. No Valgrind here.
#pragma once

#include "analyses/mpi/rank_states.h"
#include "rt/vector.h"

namespace memspy::mpi {

class WaitGraph {
public:
    // The states of ranks 0, 1, ...
    explicit WaitGraph(const rt::Vector<RankState>& states) : states_(states) {}

    // Of the ranks that `rank` waits for those that have not come to its collective operation; if all have, one
    // that came to another one; all of them if that is not known. Of a part of a window, those that have locked it.
    void find_missing(i32 rank, rt::Vector<i32>& missing) const;
    // Two ranks are in calls that match each other, or all ranks of an operation have come: it takes long.
    bool may_get_on() const;
    // The ranks that wait for each other in a circle, the lowest first; none if there is no circle.
    void find_cycle(rt::Vector<i32>& cycle) const;

private:
    bool has_come(i32 rank, const RankState& to) const;
    bool disagree(i32 left, i32 right) const;
    bool locks_out(i32 rank, const RankState& waiting) const;
    bool gets_on(i32 rank) const;

    const rt::Vector<RankState>& states_;
};

}  // namespace memspy::mpi
