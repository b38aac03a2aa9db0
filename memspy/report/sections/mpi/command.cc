// SPDX-License-Identifier: GPL-2.0-or-later
//
// `memspy-report mpi`: calls by pattern, call and context over all ranks, or bytes from rank to rank.
#include "report/sections/mpi/command.h"

#include <algorithm>
#include <map>
#include <set>

#include "report/catalog.h"
#include "report/commands.h"
#include "report/input.h"
#include "report/output.h"
#include "report/sections/mpi/waiting.h"
#include "report/sections/mpi/waits.h"
#include "report/sections/mpi/wire.h"
#include "report/sections/shared_memory/sharing.h"
#include "report/source_names.h"
#include "report/table.h"

namespace memspy::report::mpi {
namespace {

constexpr OptionSpec kOptions[] = {
    {"matrix", "",
     "bytes that each rank gave to each other one, by messages, one-sided operations and among neighbours"},
    {"ranks", "", "a row for each rank"},
    {"machine", "FILE", "also the time on the network that memspy-machine network measured"},
    kFormatOption,
    kNamesOption,
    kDebugDirOption,
    kDebuginfodOption,
    kOutputOption,
    kHelpOption,
};

struct CallSummary {
    u64 calls = 0, bytes = 0, microseconds = 0, waiting = 0;
    u64 late_sender = 0, late_receiver = 0, imbalance = 0;
    std::map<u64, u64> by_rank;       // microseconds
    std::map<u64, u64> work_by_rank;  // before it
    std::map<u64, u64> sizes;         // calls with messages below so many bytes
};

// "64:3 4096:10": three messages below 64 bytes, ten from 2,048 bytes to 4,095.
std::string histogram(const std::map<u64, u64>& sizes) {
    std::string text;
    for (const auto& [below, calls] : sizes)
        text += (text.empty() ? "" : " ") + std::to_string(below) + ":" + std::to_string(calls);
    return text;
}

std::string seconds(u64 microseconds) {
    char text[32];
    std::snprintf(text, sizeof text, "%llu.%06llu", static_cast<unsigned long long>(microseconds / 1'000'000),
                  static_cast<unsigned long long>(microseconds % 1'000'000));
    return text;
}

class MpiReader : public Catalog {
public:
    void record(const AnyRecord& record) override {
        events_.take(record);
        waits_.take(record);
        shared_.take(record);
        if (const auto* rank = record.as<Rank>()) {
            sizes_.insert(rank->size);
            open_requests_ += rank->open_requests;
            left_out_ += rank->events_left_out;
        } else if (const auto* call = record.as<Call>()) {
            calls_.push_back(*call);
        } else if (const auto* peer = record.as<Peer>()) {
            peers_.push_back(*peer);
        } else if (const auto* open = record.as<OpenReceives>()) {
            open_.push_back(*open);
        }
    }

    bool empty() const { return events_.ranks().empty(); }

    // Ranks of the program without a profile.
    std::string missing() const {
        std::string list;
        u64 count = 0;
        for (u64 rank = 0; rank < world(); ++rank) {
            if (events_.ranks().contains(rank) || ++count > 20) continue;
            list += (list.empty() ? "" : ", ") + std::to_string(rank);
        }
        if (count > 20) list += " and " + std::to_string(count - 20) + " more";
        return list;
    }
    u64 open_requests() const { return open_requests_; }
    u64 left_out() const { return left_out_; }
    std::string waits() const {
        return waits_.text(*this) + waits_.unreceived() + open_receives() +
               shared_memory::summary_of(shared_);
    }

    bool on_several_nodes() const {
        const auto node = [](const Run& run) { return std::pair(run.host, run.node); };
        return std::any_of(runs().begin(), runs().end(),
                           [&](const Run& run) { return node(run) != node(runs().front()); });
    }

    // `wire` may be null.
    Table calls(bool by_rank, const Wire* wire) const {
        const std::map<CallKey, LostTime> waited = waiting(events_.ranks());
        std::map<std::tuple<std::string_view, std::string_view, std::string, u64>, CallSummary> rows;
        for (const Call& call : calls_) {
            const Frame* const at = site(call.stack);
            const std::string context = at == nullptr ? "" : label(*at);
            CallSummary& row = rows[{call.pattern, call.name, context, by_rank ? call.rank : 0}];
            row.calls += call.calls;
            row.bytes += call.sent != 0 ? call.sent : call.received;
            row.microseconds += call.microseconds;
            row.by_rank[call.rank] += call.microseconds;
            row.work_by_rank[call.rank] += call.worked;
            const auto wait = waited.find({call.rank, call.number});
            if (wait != waited.end()) {
                row.waiting += wait->second.all;
                row.late_sender += wait->second.late_sender;
                row.late_receiver += wait->second.late_receiver;
                row.imbalance += wait->second.imbalance;
            }
            for (const Sizes& size : call.sizes) row.sizes[size.below] += size.calls;
        }
        std::vector<Table::Column> columns{{"pattern", true, "pattern"}, {"call", true, "call"},
                                           {"context", true, "context"}, {"calls", false, "calls"},
                                           {"bytes", false, "bytes"},    {"seconds", false, "seconds"},
                                           {"waiting", false, "waiting"}};
        if (by_rank) {
            columns.push_back({"rank", false, "rank"});
        } else {
            columns.push_back({"ranks", false, "ranks"});
            columns.push_back({"least seconds", false, "seconds_min"});
            columns.push_back({"most seconds", false, "seconds_max"});
            columns.push_back({"slowest rank", false, "slowest_rank"});
            columns.push_back({"imbalance", false, "imbalance"});
            columns.push_back({"most work", false, "work_max"});
            columns.push_back({"busiest rank", false, "busiest_rank"});
        }
        columns.push_back({"late sender", false, "late_sender"});
        columns.push_back({"late receiver", false, "late_receiver"});
        columns.push_back({"message sizes", true, "sizes"});
        if (wire != nullptr) columns.push_back({"wire", false, "wire"});
        std::vector<decltype(rows)::const_iterator> order;
        for (auto it = rows.cbegin(); it != rows.cend(); ++it) order.push_back(it);
        std::stable_sort(order.begin(), order.end(),
                         [](auto a, auto b) { return a->second.microseconds > b->second.microseconds; });
        Table table("mpi", std::move(columns));
        for (const auto& each : order) {
            const auto& [pattern, call, context, rank] = each->first;
            const CallSummary& row = each->second;
            std::vector<Cell> cells{pattern,
                                    call,
                                    context,
                                    number(row.calls),
                                    number(row.bytes),
                                    seconds(row.microseconds),
                                    seconds(row.waiting)};
            if (by_rank) {
                cells.push_back(std::to_string(rank));
            } else {
                const auto by_time = [](const auto& a, const auto& b) { return a.second < b.second; };
                const auto least = std::min_element(row.by_rank.begin(), row.by_rank.end(), by_time);
                const auto most = std::max_element(row.by_rank.begin(), row.by_rank.end(), by_time);
                cells.push_back(number(row.by_rank.size()));
                cells.push_back(seconds(least->second));
                cells.push_back(seconds(most->second));
                cells.push_back(std::to_string(most->first));
                cells.push_back(seconds(row.imbalance));
                const auto busiest =
                    std::max_element(row.work_by_rank.begin(), row.work_by_rank.end(), by_time);
                cells.push_back(busiest->second == 0 ? Cell("-") : seconds(busiest->second));
                cells.push_back(busiest->second == 0 ? "-" : std::to_string(busiest->first));
            }
            cells.push_back(seconds(row.late_sender));
            cells.push_back(seconds(row.late_receiver));
            cells.push_back(histogram(row.sizes));
            if (wire != nullptr) {
                const std::optional<u64> time = wire->microseconds(call, pattern, row.calls, row.bytes);
                cells.push_back(time ? seconds(*time) : "");
            }
            table.add(std::move(cells));
        }
        return table;
    }

    // Row: from; column: to. What a rank without a profile gave is known only where another one fetched it.
    Table matrix() const {
        std::map<std::pair<u64, u64>, u64> bytes;
        u64 count = world();
        for (const Peer& peer : peers_) {
            bytes[{peer.rank, peer.peer}] += peer.sent;
            bytes[{peer.peer, peer.rank}] += peer.fetched;
            count = std::max({count, peer.rank + 1, peer.peer + 1});
        }
        std::vector<Table::Column> columns{{"from / to", false, "rank"}};
        for (u64 to = 0; to < count; ++to) columns.push_back({std::to_string(to), false, std::to_string(to)});
        Table table("mpi.matrix", std::move(columns));
        for (u64 from = 0; from < count; ++from) {
            std::vector<Cell> cells{std::to_string(from)};
            const Cell none = events_.ranks().contains(from) ? number(0) : Cell("-");
            for (u64 to = 0; to < count; ++to) {
                const auto at = bytes.find({from, to});
                cells.push_back(at == bytes.end() || at->second == 0 ? none : number(at->second));
            }
            table.add(std::move(cells));
        }
        return table;
    }

private:
    // A line for each place.
    std::string open_receives() const {
        std::map<std::pair<std::string, std::string>, std::pair<u64, u64>> places;
        for (const OpenReceives& each : open_) {
            const Frame* const at = site(each.stack);
            auto& [receives, open] = places[{std::string(each.call), at == nullptr ? "" : label(*at)}];
            receives += each.receives;
            open += each.open;
        }
        std::string lines;
        for (const auto& [place, sum] : places)
            lines += with_commas(sum.second) + " of " + with_commas(sum.first) + " receives of any rank by " +
                     place.first + (place.second.empty() ? "" : ", " + place.second) +
                     ", could have got another rank's message: what depends on their order may differ from "
                     "run to run\n";
        return lines;
    }

    u64 world() const { return sizes_.empty() ? 0 : *sizes_.rbegin(); }

    std::set<u64> sizes_;
    MpiEvents events_;
    WaitingRanks waits_;
    shared_memory::Sharing shared_;
    std::vector<Call> calls_;
    std::vector<Peer> peers_;
    std::vector<OpenReceives> open_;
    u64 open_requests_ = 0, left_out_ = 0;
};

int run(const Arguments& arguments) {
    const std::vector<std::string>& files = arguments.some_files();
    Inputs inputs;
    const std::unique_ptr<SourceNames> names = make_source_names(arguments, inputs);
    Output output(arguments.value("output"));
    MpiReader reader;
    const bool whole = inputs.read_profiles(files, reader);
    std::optional<Wire> wire;
    if (const std::string machine(arguments.value("machine")); !machine.empty())
        wire.emplace(machine, reader.on_several_nodes());
    const TableFormat format = format_of(arguments);
    const Table table = arguments.has("matrix")
                            ? reader.matrix()
                            : reader.calls(arguments.has("ranks"), wire ? &*wire : nullptr);
    if (format == TableFormat::Plain) {
        std::ostream& out = output.stream();
        if (reader.empty()) out << "No process of these profiles called MPI.\n";
        if (const std::string missing = reader.missing(); !missing.empty())
            out << "There is no profile of rank " << missing << ".\n";
        out << reader.waits();
        if (reader.open_requests() != 0)
            out << with_commas(reader.open_requests()) << " requests were begun and never completed.\n";
        if (reader.left_out() != 0)
            out << with_commas(reader.left_out())
                << " events came after memspy's store of them was full: the waiting there is not known.\n";
    }
    table.print(output.stream(), format);
    output.commit();
    return whole ? kDone : kPartial;
}

}  // namespace

const Command kMpiCommand{
    "mpi",
    "PROFILE...",
    "calls of MPI by pattern, call and context, over all ranks",
    "Waiting is the time until the partner came, so it needs the profiles of both. Bytes are those\n"
    "sent by calls, or received if they send none; a rank's part of a collective operation counts\n"
    "once. The matrix has messages, one-sided operations and collective ones among neighbours.",
    kOptions,
    run};

}  // namespace memspy::report::mpi
