// SPDX-License-Identifier: GPL-2.0-or-later
//
// memspy-machine network: the network between the processes that a launcher of MPI has started. A pair of
// processes for each pair of nodes and one inside a node, one after the other, and collective operations of
// all.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

namespace memspy::machine {

struct NetworkOptions {
    std::string library;  // of MPI; empty: the launcher's
    double seconds = 40;
};

// All processes call it. Null, but in rank 0.
nlohmann::ordered_json measure_network(const NetworkOptions& options);
// What was measured, for people.
std::string text_of_network(const nlohmann::ordered_json& network);

}  // namespace memspy::machine
