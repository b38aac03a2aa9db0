// SPDX-License-Identifier: GPL-2.0-or-later
#include "machine/network.h"

#include <algorithm>
#include <cstring>
#include <functional>
#include <limits>
#include <map>
#include <optional>
#include <sstream>
#include <stdexcept>
#include <vector>

#include "machine/loggp.h"
#include "machine/mpi_library.h"

namespace memspy::machine {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kMostPairs = 64;
constexpr u64 kMostBytes = u64{1} << 20;
constexpr int kNameBytes = 64;

// What the first process of a pair asks of the second one before each round trip. No messages: it is the end.
struct TrainRequest {
    u64 messages, bytes;
};

class RankPair : public MessagePair {
public:
    RankPair(const MpiLibrary& mpi, int other) : mpi_(mpi), other_(other), buffer_(kMostBytes) {}

    RoundTrip round_trip(unsigned messages, double delay_ns, u64 bytes) override {
        const int size = static_cast<int>(bytes);
        ask({messages, bytes});
        char ready = 0;
        mpi_.receive(&ready, 1, other_);
        RoundTrip trip;
        const double begin = now_ns();
        for (unsigned i = 0; i < messages; ++i) {
            mpi_.send(buffer_.data(), size, other_);
            if (i + 1 == messages || delay_ns == 0) continue;
            const double from = now_ns();
            double now = from;
            while (now < from + delay_ns) now = now_ns();
            trip.computed_ns += now - from;
        }
        mpi_.receive(buffer_.data(), size, other_);
        trip.ns = now_ns() - begin;
        return trip;
    }
    void end() { ask({0, 0}); }

private:
    void ask(TrainRequest request) { mpi_.send(&request, sizeof request, other_); }

    const MpiLibrary& mpi_;
    int other_;
    std::vector<char> buffer_;
};

void answer_trains(const MpiLibrary& mpi, int other) {
    std::vector<char> buffer(kMostBytes);
    for (TrainRequest request{};;) {
        mpi.receive(&request, sizeof request, other);
        if (request.messages == 0) return;
        const char ready = 1;
        const int size = static_cast<int>(request.bytes);
        mpi.send(&ready, 1, other);
        for (u64 i = 0; i < request.messages; ++i) mpi.receive(buffer.data(), size, other);
        mpi.send(buffer.data(), size, other);
    }
}

// Ranks of each pair, the same in all processes: one pair inside a node, then pairs of nodes, near ones in
// the order of ranks first.
struct NodePair {
    int ranks[2];
    bool operator==(const NodePair&) const = default;
};
std::vector<NodePair> choose_pairs(const std::vector<std::string>& node_of_rank) {
    std::vector<int> first;  // rank of each node
    std::map<std::string, int> seen;
    std::vector<NodePair> pairs;
    for (int rank = 0; rank < static_cast<int>(node_of_rank.size()); ++rank) {
        const auto [node, is_new] = seen.emplace(node_of_rank[static_cast<std::size_t>(rank)], rank);
        if (is_new)
            first.push_back(rank);
        else if (pairs.empty())
            pairs.push_back({{node->second, rank}});
    }
    for (std::size_t distance = 1; distance < first.size(); ++distance)
        for (std::size_t i = 0; i + distance < first.size() && pairs.size() < kMostPairs; ++i)
            pairs.push_back({{first[i], first[i + distance]}});
    return pairs;
}

Json json_of(const Figure<double>& figure) {
    return {{"value", figure ? Json(*figure) : Json(nullptr)},
            {"sure", name_of(figure.sureness)},
            {"how", figure.how}};
}

Json json_of(const LogGp& found) {
    Json json{{"latency_ns", json_of(found.latency_ns)},
              {"overhead_ns", json_of(found.overhead_ns)},
              {"gap_ns", json_of(found.gap_ns)},
              {"gap_per_byte_ns", json_of(found.gap_per_byte_ns)},
              {"stretches", Json::array()},
              {"times", Json::array()}};
    for (const SizeStretch& each : found.stretches)
        json["stretches"].push_back({{"first", each.first},
                                     {"last", each.last},
                                     {"gap_ns", each.gap_ns},
                                     {"gap_per_byte_ns", each.gap_per_byte_ns}});
    for (const SizeTimes& each : found.times)
        json["times"].push_back({{"bytes", each.bytes},
                                 {"one_way_ns", each.one_way_ns},
                                 {"per_message_ns", each.per_message_ns},
                                 {"gb_s", static_cast<double>(each.bytes) / each.per_message_ns}});
    return json;
}

// To rank 0, whose own result it may be.
Json handed_to_first(const MpiLibrary& mpi, const Json& json, int from) {
    if (from == 0) return json;
    std::string text = mpi.rank() == from ? json.dump() : std::string();
    int length = static_cast<int>(text.size());
    if (mpi.rank() == from) {
        mpi.send(&length, sizeof length, 0);
        mpi.send(text.data(), length, 0);
    } else if (mpi.rank() == 0) {
        mpi.receive(&length, sizeof length, from);
        text.resize(static_cast<std::size_t>(length));
        mpi.receive(text.data(), length, from);
        return Json::parse(text);
    }
    return nullptr;
}

Json measure_pairs(const MpiLibrary& mpi, const std::vector<std::string>& nodes, double seconds) {
    const std::vector<NodePair> pairs = choose_pairs(nodes);
    Json results = Json::array();
    for (const NodePair& pair : pairs) {
        const int first = pair.ranks[0], second = pair.ranks[1];
        Json found;
        mpi.barrier();
        if (mpi.rank() == first) {
            RankPair trains(mpi, second);
            found = json_of(
                measure_pair(trains, kMostBytes, Deadline(seconds / static_cast<double>(pairs.size()))));
            trains.end();
        } else if (mpi.rank() == second) {
            answer_trains(mpi, first);
        }
        found = handed_to_first(mpi, found, first);
        if (mpi.rank() != 0) continue;
        Json row{
            {"ranks", {first, second}},
            {"nodes", {nodes[static_cast<std::size_t>(first)], nodes[static_cast<std::size_t>(second)]}}};
        row.update(found);
        results.push_back(row);
    }
    return results;
}

// The time of the last rank, at its least.
double time_of_all(const MpiLibrary& mpi, const std::function<void()>& operation) {
    constexpr int kSamples = 15, kCalls = 4;
    double least = std::numeric_limits<double>::max();
    std::vector<double> all(static_cast<std::size_t>(mpi.size()));
    for (int sample = 0; sample < kSamples; ++sample) {
        mpi.barrier();
        const double begin = now_ns();
        for (int call = 0; call < kCalls; ++call) operation();
        const double own = (now_ns() - begin) / kCalls;
        mpi.gather(&own, all.data(), sizeof own);
        least = std::min(least, *std::max_element(all.begin(), all.end()));
    }
    return least;
}

Json measure_collectives(const MpiLibrary& mpi) {
    constexpr u64 kSizes[] = {8, 1024, 65536, kMostBytes};
    std::vector<double> in(kMostBytes / sizeof(double)), out(in.size());
    const auto part = [&](u64 bytes) {
        return std::max<u64>(8, bytes / static_cast<u64>(mpi.size()) / 8 * 8);
    };
    Json results = Json::array();
    const auto measure = [&](const char* name, auto operation) {
        Json times = Json::array();
        for (const u64 bytes : kSizes)
            if (part(bytes) * static_cast<u64>(mpi.size()) <= kMostBytes)
                times.push_back({{"bytes", bytes}, {"ns", time_of_all(mpi, [&] { operation(bytes); })}});
        results.push_back({{"call", name}, {"times", times}});
    };
    results.push_back({{"call", "MPI_Barrier"},
                       {"times", {{{"bytes", 0}, {"ns", time_of_all(mpi, [&] { mpi.barrier(); })}}}}});
    measure("MPI_Bcast", [&](u64 bytes) { mpi.broadcast(in.data(), static_cast<int>(bytes)); });
    measure("MPI_Allreduce", [&](u64 bytes) {
        mpi.all_reduce(in.data(), out.data(), static_cast<int>(bytes / sizeof(double)));
    });
    // Bytes are those that a rank gives to all others together.
    measure("MPI_Alltoall",
            [&](u64 bytes) { mpi.all_to_all(in.data(), out.data(), static_cast<int>(part(bytes))); });
    return results;
}

std::string number_text(const Json& value, double unit) {
    if (value.is_null()) return "not found";
    std::ostringstream out;
    out.precision(3);
    out << value.get<double>() * unit;
    return out.str();
}

}  // namespace

Json measure_network(const NetworkOptions& options) {
    const MpiLibrary mpi(options.library);
    if (mpi.size() < 2)
        throw std::runtime_error("a network needs two processes: mpirun -n 2 memspy-machine network");
    std::vector<char> names(static_cast<std::size_t>(kNameBytes * mpi.size()));
    std::string own = mpi.processor();
    own.resize(kNameBytes - 1);
    mpi.gather(own.c_str(), names.data(), kNameBytes);
    mpi.broadcast(names.data(), static_cast<int>(names.size()));
    std::vector<std::string> node_of_rank;
    for (int rank = 0; rank < mpi.size(); ++rank)
        node_of_rank.emplace_back(&names[static_cast<std::size_t>(rank * kNameBytes)]);

    Json pairs = measure_pairs(mpi, node_of_rank, 0.7 * options.seconds);
    mpi.barrier();
    Json collectives = measure_collectives(mpi);
    if (mpi.rank() != 0) return nullptr;
    return {{"library", mpi.version()},
            {"ranks", mpi.size()},
            {"nodes", node_of_rank},
            {"pairs", std::move(pairs)},
            {"collectives", std::move(collectives)}};
}

std::string text_of_network(const Json& network) {
    std::ostringstream out;
    out << network["library"].get<std::string>() << ", " << network["ranks"] << " ranks\n";
    for (const Json& pair : network["pairs"]) {
        const std::string from = pair["nodes"][0], to = pair["nodes"][1];
        out << "ranks " << pair["ranks"][0] << " and " << pair["ranks"][1] << ", "
            << (from == to ? "inside " + from : from + " to " + to) << '\n';
        for (const auto& [what, key] :
             {std::pair{"latency L, us", "latency_ns"}, std::pair{"overhead o, us", "overhead_ns"},
              std::pair{"gap g, us", "gap_ns"}})
            out << "  " << what << "  " << number_text(pair[key]["value"], 1e-3) << "  "
                << pair[key]["how"].get<std::string>() << '\n';
        out << "  gap a byte G, ns  " << number_text(pair["gap_per_byte_ns"]["value"], 1) << "  "
            << pair["gap_per_byte_ns"]["how"].get<std::string>() << '\n';
        for (const Json& each : pair["times"])
            out << "  " << each["bytes"] << " bytes: " << number_text(each["one_way_ns"], 1e-3) << " us, "
                << number_text(each["gb_s"], 1) << " GB/s\n";
    }
    for (const Json& collective : network["collectives"])
        for (const Json& each : collective["times"])
            out << collective["call"].get<std::string>() << ", " << each["bytes"]
                << " bytes: " << number_text(each["ns"], 1e-3) << " us\n";
    return out.str();
}

}  // namespace memspy::machine
