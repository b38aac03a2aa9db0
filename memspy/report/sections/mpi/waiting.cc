// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/sections/mpi/waiting.h"

#include <algorithm>
#include <deque>
#include <tuple>

namespace memspy::report::mpi {
namespace {

// A communicator's identity in all its ranks.
using CommKey = std::tuple<u64, u64>;  // group, ordinal

CommKey comm_of(const RankEvents& rank, u64 number) {
    for (const Communicator& comm : rank.communicators)
        if (comm.number == number) return {comm.group.value, comm.ordinal};
    return {0, number};
}

// Calls f(numbers) for each complete event.
template <std::size_t N, typename F>
void for_each_event(const std::vector<u64>& events, F f) {
    for (std::size_t i = 0; i + N <= events.size(); i += N) f(&events[i]);
}

struct LostInCall : LostTime {
    u64 whom = 0;  // of `all`
};
// By call and when it began.
using LostTimes = std::map<std::pair<CallKey, u64>, LostInCall>;

struct WaitedFor {
    u64 rank, came;
};
void wait_until(LostTimes& waits, CallKey call, u64 LostTime::*what, u64 begin, u64 end, WaitedFor partner) {
    const u64 until = std::min(partner.came, end);
    if (until <= begin) return;
    LostInCall& lost = waits[{call, begin}];
    lost.*what = std::max(lost.*what, until - begin);
    if (lost.all >= until - begin) return;
    lost.all = until - begin;
    lost.whom = partner.rank;
}

void wait_for_messages(const std::map<u64, RankEvents>& ranks, LostTimes& waits) {
    using Way = std::tuple<u64, u64, CommKey, u64>;  // from, to, communicator, tag
    struct Sent {
        CallKey call;
        u64 begin, end;
    };
    std::map<Way, std::deque<Sent>> under_way;
    for (const auto& [number, rank] : ranks)
        for_each_event<6>(rank.sends, [&, &rank = rank](const u64* e) {
            under_way[{rank.rank, e[1], comm_of(rank, e[0]), e[2]}].push_back(
                {{rank.rank, e[3]}, rank.began + e[4], rank.began + e[5]});
        });
    for (const auto& [number, rank] : ranks)
        for_each_event<7>(rank.receives, [&, &rank = rank](const u64* e) {
            const auto way = under_way.find({e[1], rank.rank, comm_of(rank, e[0]), e[2]});
            if (way == under_way.end() || way->second.empty()) return;
            const Sent sent = way->second.front();
            way->second.pop_front();
            wait_until(waits, {rank.rank, e[3]}, &LostTime::late_sender, rank.began + e[5], rank.began + e[6],
                       {sent.call.rank, sent.begin});
            const u64 posted = rank.began + e[4];
            if (posted < sent.end)
                wait_until(waits, sent.call, &LostTime::late_receiver, sent.begin, sent.end,
                           {rank.rank, posted});
        });
}

void wait_for_collectives(const std::map<u64, RankEvents>& ranks, LostTimes& waits) {
    struct RankPart {
        CallKey call;
        u64 begin, end;
    };
    std::map<std::tuple<CommKey, u64>, std::vector<RankPart>>
        operations;  // by communicator and place in its sequence
    for (const auto& [number, rank] : ranks) {
        std::map<CommKey, u64> place;
        for_each_event<4>(rank.collectives, [&, &rank = rank](const u64* e) {
            const CommKey comm = comm_of(rank, e[0]);
            operations[{comm, place[comm]++}].push_back(
                {{rank.rank, e[1]}, rank.began + e[2], rank.began + e[3]});
        });
    }
    for (const auto& [key, parts] : operations) {
        const auto by_begin = [](const RankPart& a, const RankPart& b) { return a.begin < b.begin; };
        const auto [first, last] = std::minmax_element(parts.begin(), parts.end(), by_begin);
        if (last->begin > first->begin)
            waits[{first->call, first->begin}].imbalance += last->begin - first->begin;
        for (const RankPart& part : parts)
            wait_until(waits, part.call, &LostTime::collective, part.begin, part.end,
                       {last->call.rank, last->begin});
    }
}

LostTimes waits_of(const std::map<u64, RankEvents>& ranks) {
    LostTimes waits;
    wait_for_messages(ranks, waits);
    wait_for_collectives(ranks, waits);
    return waits;
}

}  // namespace

RankEvents& MpiEvents::of(u64 rank) {
    RankEvents& found = ranks_[rank];
    found.rank = rank;
    return found;
}

void MpiEvents::take(const AnyRecord& record) {
    if (const auto* rank = record.as<Rank>())
        of(rank->rank).began = rank->began;
    else if (const auto* comm = record.as<Communicator>())
        of(comm->rank).communicators.push_back(*comm);
    else if (const auto* sends = record.as<Sends>())
        of(sends->rank).sends = sends->events;
    else if (const auto* receives = record.as<Receives>())
        of(receives->rank).receives = receives->events;
    else if (const auto* collectives = record.as<Collectives>())
        of(collectives->rank).collectives = collectives->events;
}

std::map<CallKey, LostTime> waiting(const std::map<u64, RankEvents>& ranks) {
    std::map<CallKey, LostTime> sums;
    for (const auto& [call, lost] : waits_of(ranks)) {
        LostTime& sum = sums[call.first];
        sum.late_sender += lost.late_sender;
        sum.late_receiver += lost.late_receiver;
        sum.collective += lost.collective;
        sum.all += lost.all;
        sum.imbalance += lost.imbalance;
    }
    return sums;
}

std::vector<LongWait> longest_waits(const std::map<u64, RankEvents>& ranks, std::size_t most) {
    std::map<u64, std::vector<LongWait>> by_rank;
    for (const auto& [call, lost] : waits_of(ranks))
        if (lost.all != 0) by_rank[call.first.rank].push_back({call.first, call.second, lost.all, lost.whom});
    std::vector<LongWait> found;
    for (auto& [rank, waits] : by_rank) {
        std::ranges::stable_sort(waits, std::ranges::greater{}, &LongWait::waited);
        if (waits.size() > most) waits.resize(most);
        std::ranges::sort(waits, {}, &LongWait::begin);
        found.insert(found.end(), waits.begin(), waits.end());
    }
    return found;
}

}  // namespace memspy::report::mpi
