// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyses/mpi/wait_graph.h"

#include "rt/cycle.h"

namespace memspy::mpi {
namespace {

using WaitPhase = RankState::WaitPhase;
constexpr char kFinalize[] = "MPI_Finalize";

bool are_alike(const char* left, const char* right) {
    for (; *left != '\0' && *left == *right; ++left) ++right;
    return *left == *right;
}

bool has(const RankState& state, i32 rank) {
    for (u32 i = 0; i < state.count; ++i)
        if (state.ranks[i] == rank) return true;
    return false;
}

}  // namespace

bool WaitGraph::has_come(i32 rank, const RankState& to) const {
    const RankState& of = states_[static_cast<usize>(rank)];
    for (u32 i = 0; i < of.comm_count; ++i)
        if (of.comms[i].group == to.group && of.comms[i].ordinal == to.ordinal)
            return of.comms[i].count >= to.operation;
    return false;
}

// Has `rank` locked the part for which the other one waits?
bool WaitGraph::locks_out(i32 rank, const RankState& waiting) const {
    const RankState& of = states_[static_cast<usize>(rank)];
    for (u32 i = 0; i < of.lock_count; ++i) {
        const RankState::LockedPart& lock = of.locks[i];
        if (lock.group == waiting.group && lock.ordinal == waiting.ordinal &&
            (lock.target < 0 || lock.target == waiting.ranks[0]) &&
            (lock.is_exclusive != 0 || waiting.is_exclusive != 0))
            return true;
    }
    return false;
}

// One of the two has come to an operation that did not match the other's.
bool WaitGraph::disagree(i32 left, i32 right) const {
    const RankState &of_left = states_[static_cast<usize>(left)],
                    &of_right = states_[static_cast<usize>(right)];
    const bool is_one = of_left.group == of_right.group && of_left.ordinal == of_right.ordinal;
    return is_one && (of_left.disagrees == right || of_right.disagrees == left);
}

void WaitGraph::find_missing(i32 rank, rt::Vector<i32>& missing) const {
    const RankState& state = states_[static_cast<usize>(rank)];
    missing.clear();
    if (state.for_part != 0 && state.count == 1) {
        for (i32 other = 0; other < static_cast<i32>(states_.size()); ++other)
            if (other != rank && locks_out(other, state)) missing.push_back(other);
        if (!missing.empty()) return;
    }
    const bool at_end = are_alike(state.call, kFinalize);
    for (u32 i = 0; i < state.count && (at_end || state.operation != 0); ++i) {
        const i32 other = state.ranks[i];
        if (at_end ? !are_alike(states_[static_cast<usize>(other)].call, kFinalize) : !has_come(other, state))
            missing.push_back(other);
    }
    for (u32 i = 0; i < state.count && state.operation != 0 && missing.empty(); ++i)
        if (disagree(rank, state.ranks[i])) missing.push_back(state.ranks[i]);
    if (!missing.empty()) return;
    for (u32 i = 0; i < state.count; ++i) missing.push_back(state.ranks[i]);
}

bool WaitGraph::gets_on(i32 rank) const {
    const RankState& state = states_[static_cast<usize>(rank)];
    if (state.phase != WaitPhase::Waits || state.count == 0) return false;
    if (state.operation != 0) {
        for (const RankState& other : states_)
            if (other.disagrees >= 0 && other.group == state.group && other.ordinal == state.ordinal)
                return false;
        for (u32 i = 0; i < state.count; ++i)
            if (!has_come(state.ranks[i], state)) return false;
        for (u32 i = 0; i < state.count; ++i) {  // to another operation
            const RankState& other = states_[static_cast<usize>(state.ranks[i])];
            if (other.group == state.group && other.ordinal == state.ordinal &&
                other.operation == state.operation && !are_alike(other.call, state.call))
                return false;
        }
        return true;
    }
    for (u32 i = 0; i < state.count; ++i) {
        const RankState& other = states_[static_cast<usize>(state.ranks[i])];
        if (state.has_tag != 0 && other.has_tag != 0 && other.sends != state.sends && has(other, rank) &&
            other.group == state.group && other.ordinal == state.ordinal &&
            (state.tag == other.tag || state.tag < 0 || other.tag < 0))
            return true;
    }
    return false;
}

bool WaitGraph::may_get_on() const {
    bool in_finalize = true;
    for (i32 rank = 0; rank < static_cast<i32>(states_.size()); ++rank) {
        if (gets_on(rank)) return true;
        in_finalize &= are_alike(states_[static_cast<usize>(rank)].call, kFinalize);
    }
    return in_finalize;
}

void WaitGraph::find_cycle(rt::Vector<i32>& cycle) const {
    cycle.clear();
    rt::Vector<i32> missing;
    const auto next = [&](i32 rank) {
        if (states_[static_cast<usize>(rank)].phase == WaitPhase::Ended) return -1;
        find_missing(rank, missing);
        return missing.empty() ? -1 : missing[0];
    };
    rt::find_cycle(static_cast<i32>(states_.size()), next, [&](i32 rank) { cycle.push_back(rank); });
}

}  // namespace memspy::mpi
