// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/sections/mpi/wire.h"

#include <algorithm>
#include <fstream>
#include <nlohmann/json.hpp>
#include <stdexcept>

namespace memspy::report::mpi {

Wire::Wire(const std::string& file, bool several_nodes) {
    std::ifstream stream(file);
    if (!stream) throw std::runtime_error(file + " cannot be read");
    const auto points = [](const nlohmann::json& times, const char* ns) {
        Times result;
        for (const nlohmann::json& each : times)
            result.push_back({each.at("bytes").get<double>(), each.at(ns).get<double>()});
        return result;
    };
    try {
        const nlohmann::json network = nlohmann::json::parse(stream).at("network");
        // The pair whose smallest message takes the median time, of those between nodes or inside one.
        std::vector<Times> pairs;
        for (const nlohmann::json& pair : network.at("pairs"))
            if ((pair.at("nodes").at(0) != pair.at("nodes").at(1)) == several_nodes)
                if (Times times = points(pair.at("times"), "one_way_ns"); !times.empty())
                    pairs.push_back(std::move(times));
        if (pairs.empty())
            throw std::runtime_error(file + " has no times between processes " +
                                     (several_nodes ? "of two nodes" : "of one node"));
        std::sort(pairs.begin(), pairs.end(),
                  [](const Times& a, const Times& b) { return a.front().ns < b.front().ns; });
        message_ = pairs[(pairs.size() - 1) / 2];
        for (const nlohmann::json& each : network.at("collectives"))
            collectives_[each.at("call").get<std::string>()] = points(each.at("times"), "ns");
    } catch (const nlohmann::json::exception&) {
        throw std::runtime_error(file + " has no network: mpirun -n 2 memspy-machine network -o " + file);
    }
}

double Wire::time_of(const Times& times, double bytes) {
    if (times.size() < 2 || bytes <= times.front().bytes) return times.front().ns;
    std::size_t next = 1;
    while (next + 1 < times.size() && times[next].bytes < bytes) ++next;
    const SizePoint &a = times[next - 1], &b = times[next];
    return a.ns + (bytes - a.bytes) * (b.ns - a.ns) / (b.bytes - a.bytes);
}

std::optional<u64> Wire::microseconds(std::string_view call, std::string_view pattern, u64 calls,
                                      u64 bytes) const {
    if (calls == 0) return std::nullopt;
    const double mean = static_cast<double>(bytes) / static_cast<double>(calls);
    const auto collective = collectives_.find(call);
    const bool message = (pattern == "point to point" || pattern == "RMA") && bytes != 0;
    if (!message && collective == collectives_.end()) return std::nullopt;
    const double ns = message ? time_of(message_, mean) : time_of(collective->second, mean);
    return static_cast<u64>(std::max(0.0, static_cast<double>(calls) * ns / 1000));
}

}  // namespace memspy::report::mpi
