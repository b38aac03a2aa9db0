// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/sections/mpi/waits.h"

#include <algorithm>

#include "report/table.h"
#include "report/text_part.h"
#include "rt/cycle.h"

namespace memspy::report::mpi {

void WaitingRanks::take(const AnyRecord& record) {
    if (const auto* wait = record.as<Wait>())
        waits_.insert_or_assign(wait->rank, *wait);
    else if (const auto* left = record.as<Unreceived>())
        left_.push_back(*left);
    else if (const auto* rank = record.as<Rank>())
        ranks_[rank->rank];  // of some communicators it may have begun no operation
    else if (const auto* comm = record.as<Communicator>())
        ranks_[comm->rank].comms.insert_or_assign(comm->number, *comm);
}

bool WaitingRanks::has_come(u64 rank, const Communicator& comm, u64 operation) const {
    const auto of = ranks_.find(rank);
    if (of == ranks_.end()) return true;  // not known
    return std::any_of(of->second.comms.begin(), of->second.comms.end(), [&](const auto& each) {
        const Communicator& other = each.second;
        return other.group == comm.group && other.ordinal == comm.ordinal && other.operations >= operation;
    });
}

std::vector<u64> WaitingRanks::missing(const Wait& wait) const {
    std::vector<u64> missing;
    const auto of = ranks_.find(wait.rank);
    if (wait.operation != 0 && of != ranks_.end())
        if (const auto comm = of->second.comms.find(wait.communicator); comm != of->second.comms.end())
            for (const u64 rank : wait.ranks)
                if (!has_come(rank, comm->second, wait.operation)) missing.push_back(rank);
    return missing.empty() ? std::vector<u64>(wait.ranks.begin(), wait.ranks.end()) : missing;
}

std::vector<u64> WaitingRanks::cycle() const {
    std::vector<u64> found;
    if (waits_.empty()) return found;
    const auto next = [&](i32 rank) {
        const auto at = waits_.find(static_cast<u64>(rank));
        if (at == waits_.end()) return -1;
        const std::vector<u64> behind = missing(at->second);
        return behind.empty() ? -1 : static_cast<i32>(behind.front());
    };
    const i32 ranks = static_cast<i32>(waits_.rbegin()->first) + 1;
    rt::find_cycle(ranks, next, [&](i32 rank) { found.push_back(static_cast<u64>(rank)); });
    return found;
}

std::string WaitingRanks::text(const Catalog& places) const {
    std::string lines;
    for (const auto& [rank, wait] : waits_) {
        const std::vector<u64> behind = missing(wait);
        std::string list;
        for (const u64 other : behind) list += (list.empty() ? "" : ", ") + std::to_string(other);
        lines += "Rank " + std::to_string(rank) + " waits in " + std::string(wait.call);
        if (!behind.empty())
            lines += (behind.size() == 1 ? " for rank "
                      : wait.any         ? " for one of the ranks "
                                         : " for ranks ") +
                     list;
        if (const Frame* const at = places.site(wait.stack); at != nullptr) lines += ", " + places.label(*at);
        lines += "\n";
    }
    if (const std::vector<u64> circle = cycle(); !circle.empty()) {
        lines += "A deadlock of ranks ";
        for (const u64 rank : circle) lines += std::to_string(rank) + " -> ";
        lines += std::to_string(circle.front()) + "\n";
    }
    return lines;
}

std::string WaitingRanks::unreceived() const {
    std::string lines;
    for (const Unreceived& each : left_) {
        lines += "Rank " + std::to_string(each.rank) + " did not receive ";
        lines += each.messages == 1 ? "a message" : with_commas(each.messages) + " messages";
        lines += " of rank " + std::to_string(each.from) + " with tag " + std::to_string(each.tag);
        const auto of = ranks_.find(each.rank);
        if (of != ranks_.end())
            if (const auto comm = of->second.comms.find(each.communicator);
                comm != of->second.comms.end() && !comm->second.name.empty())
                lines += " (" + std::string(comm->second.name) + ")";
        if (!each.sent_by.empty()) lines += ", " + std::string(each.sent_by);
        lines += "\n";
    }
    return lines;
}

namespace {

class WaitsText : public TextPart {
public:
    explicit WaitsText(const TextView& view) : view_(view) {}
    void record(const AnyRecord& record) override { ranks_.take(record); }
    void print(std::ostream& out) const override {
        if (!ranks_.empty() && view_.plain())
            out << "\nRanks of MPI that did not get on\n" << ranks_.text(view_);
        if (const std::string left = ranks_.unreceived(); !left.empty() && view_.plain())
            out << "\nMessages that nobody received\n" << left;
    }

private:
    const TextView& view_;
    WaitingRanks ranks_;
};

}  // namespace

std::unique_ptr<TextPart> text_part(const TextView& view) { return std::make_unique<WaitsText>(view); }

}  // namespace memspy::report::mpi
