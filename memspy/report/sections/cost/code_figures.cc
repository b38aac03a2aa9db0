// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/code_figures.h"

#include "report/sections/cost/code_figures.h"
#include "report/sections/cost/records.h"

namespace memspy::report::cost {
namespace {

constexpr StackMetrics::Metric kMetrics[] = {
    {"cycles", "Cycles", "cycles of loads and stores in the simulated caches"},
    {"llc-misses", "LastLevelMisses", "accesses that leave the last simulated cache"},
};
bool charge_stack(const AnyRecord& record, StackId& stack, std::span<u64> values) {
    const auto* const row = record.as<Row>();
    if (row == nullptr) return false;
    stack = row->stack;
    values[0] += row->cycles;
    values[1] += row->llc_misses;
    return true;
}

constexpr LineColumns::LineColumn kColumns[] = {
    {"cycles", "cycles of its loads and stores in the simulated caches", count_or_nothing<0>},
    {"L1-misses", "those of them that miss in the first simulated cache", count_or_nothing<1>},
};
bool charge_line(const AnyRecord& record, StackId& stack, std::span<u64> counts) {
    const auto* const row = record.as<Row>();
    if (row == nullptr) return false;
    stack = row->stack;
    counts[0] += row->cycles;
    counts[1] += row->l1_misses;
    return true;
}

}  // namespace

const StackMetrics kStackMetrics{kMetrics, charge_stack};
const LineColumns kLineColumns{kColumns, 2, 0, 0, charge_line};

}  // namespace memspy::report::cost
