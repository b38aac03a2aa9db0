// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/code_figures.h"

#include "report/sections/zeros/code_figures.h"
#include "report/sections/zeros/records.h"

namespace memspy::report::zeros {
namespace {

constexpr StackMetrics::Metric kMetrics[] = {
    {"redundant", "RedundantZeros", "redundant zero cells loaded"},
};
bool charge_stack(const AnyRecord& record, StackId& stack, std::span<u64> values) {
    const auto* const row = record.as<Row>();
    if (row == nullptr) return false;
    stack = row->stack;
    values[0] += row->redundant;
    return true;
}

// Counts: loads, cells loaded, redundant ones of them.
constexpr LineColumns::LineColumn kColumns[] = {
    {"loads", "loads whose redundant zeros were counted", count_or_nothing<0>},
    {"zeros", "the redundant share of their data",
     [](std::span<const u64> counts) { return share(counts[2], counts[1]); }},
};
bool charge_line(const AnyRecord& record, StackId& stack, std::span<u64> counts) {
    const auto* const row = record.as<Row>();
    if (row == nullptr) return false;
    stack = row->stack;
    counts[0] += row->loads;
    counts[1] += row->elements * row->redmap.cells.size();
    counts[2] += row->redundant;
    return true;
}

}  // namespace

const StackMetrics kStackMetrics{kMetrics, charge_stack};
const LineColumns kLineColumns{kColumns, 3, 0, 2, charge_line};

}  // namespace memspy::report::zeros
