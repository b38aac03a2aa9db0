// SPDX-License-Identifier: GPL-2.0-or-later
//
// A tree of contexts with figures: each node has the sums of all nodes below it.
#pragma once

#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "report/table.h"

namespace memspy::report {

class ContextTree {
public:
    using NodeIndex = u32;
    static constexpr NodeIndex kRoot = 0;

    // `columns`: titles and permanent names of the figures. The first one is that by which nodes are ranked.
    explicit ContextTree(std::vector<Table::Column> columns);

    // The node's child of that kind and name; it is made if there is none. `kind` is a word, for programs;
    // `lead` stands before the name, for people.
    NodeIndex child(NodeIndex parent, std::string_view kind, std::string_view lead, const std::string& name);
    // To the node and all above it.
    void add(NodeIndex node, std::span<const u64> figures);
    u64 total() const { return sums_[0]; }

    // Depth first, the highest first. Nodes below `least` percent of the first figure's total are left out,
    // with all below them.
    Table table(std::string name, double least, TableFormat format) const;

private:
    struct Node {
        NodeIndex parent;
        std::string_view kind, lead;
        std::string name;
        std::vector<NodeIndex> children;
    };
    void add_rows(Table& table, NodeIndex node, unsigned depth, u64 least, TableFormat format) const;
    u64 figure(NodeIndex node, std::size_t column) const { return sums_[node * columns_.size() + column]; }

    std::vector<Table::Column> columns_;
    std::vector<Node> nodes_;
    std::vector<u64> sums_;                             // of each node in turn, one for each column
    std::unordered_map<std::string, NodeIndex> known_;  // by parent, kind and name
};

}  // namespace memspy::report
