// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/context_tree.h"

#include <algorithm>

namespace memspy::report {

ContextTree::ContextTree(std::vector<Table::Column> columns) : columns_(std::move(columns)) {
    nodes_.push_back({});
    sums_.resize(columns_.size());
}

ContextTree::NodeIndex ContextTree::child(NodeIndex parent, std::string_view kind, std::string_view lead,
                                          const std::string& name) {
    const NodeIndex next = static_cast<NodeIndex>(nodes_.size());
    const auto [at, added] =
        known_.try_emplace(std::to_string(parent) + ' ' + std::string(kind) + ' ' + name, next);
    if (added) {
        nodes_.push_back({parent, kind, lead, name, {}});
        nodes_[parent].children.push_back(next);
        sums_.resize(sums_.size() + columns_.size());
    }
    return at->second;
}

void ContextTree::add(NodeIndex node, std::span<const u64> figures) {
    for (;; node = nodes_[node].parent) {
        for (std::size_t i = 0; i < columns_.size(); ++i) sums_[node * columns_.size() + i] += figures[i];
        if (node == kRoot) return;
    }
}

Table ContextTree::table(std::string name, double least, TableFormat format) const {
    std::vector<Table::Column> columns;
    const Table::Column share{"of all", false, columns_[0].name + "-percent"};
    if (format == TableFormat::Tsv) {
        columns = {{"depth", false, "depth"}, {"kind", true, "kind"}, {"name", true, "name"}};
        columns.insert(columns.end(), columns_.begin(), columns_.end());
        columns.push_back(share);
    } else {
        columns = columns_;
        columns.insert(columns.begin() + 1, share);
        columns.push_back({"context", true, "context"});
    }
    Table table(std::move(name), std::move(columns));
    add_rows(table, kRoot, 0, static_cast<u64>(least / 100 * static_cast<double>(total())), format);
    return table;
}

void ContextTree::add_rows(Table& table, NodeIndex node, unsigned depth, u64 least,
                           TableFormat format) const {
    std::vector<NodeIndex> children = nodes_[node].children;
    std::ranges::stable_sort(children, std::ranges::greater{}, [&](NodeIndex i) { return figure(i, 0); });
    for (const NodeIndex child : children) {
        if (figure(child, 0) < least) break;
        const Node& shown = nodes_[child];
        std::vector<Cell> cells;
        for (std::size_t i = 0; i < columns_.size(); ++i) cells.push_back(number(figure(child, i)));
        const Cell of_all = share(figure(child, 0), total());
        if (format == TableFormat::Tsv) {
            cells.push_back(of_all);
            cells.insert(cells.begin(), {number(depth), Cell(shown.kind), Cell(shown.name)});
        } else {
            cells.insert(cells.begin() + 1, of_all);
            cells.push_back(Cell(std::string(2 * depth, ' ') + std::string(shown.lead) + shown.name));
        }
        table.add(std::move(cells));
        add_rows(table, child, depth + 1, least, format);
    }
}

}  // namespace memspy::report
