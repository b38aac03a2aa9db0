// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/code_figures.h"

#include "report/sections/contention/code_figures.h"
#include "report/sections/contention/records.h"

namespace memspy::report::contention {
namespace {

constexpr StackMetrics::Metric kMetrics[] = {
    {"modelled", "Modelled", "misses and invalidations in the model"},
    {"observed", "Observed", "misses and invalidations as the threads really ran"},
    {"false", "FalseSharing", "modelled ones that are false sharing"},
    {"loads", "SharedLoads", "loads of shared lines"},
    {"stores", "SharedStores", "stores to shared lines"},
};
bool charge_stack(const AnyRecord& record, StackId& stack, std::span<u64> values) {
    const auto* const row = record.as<Row>();
    if (row == nullptr) return false;
    stack = row->stack;
    values[0] += events(row->modelled);
    values[1] += events(row->observed);
    values[2] += false_events(row->modelled);
    values[3] += row->loads;
    values[4] += row->stores;
    return true;
}

// Counts: events, false events, accesses.
constexpr LineColumns::LineColumn kColumns[] = {
    {"events", "misses and invalidations, modelled or observed, the larger of the two", count_or_nothing<0>},
    {"false", "those of them that are false sharing", count_or_nothing<1>},
    {"accesses", "loads and stores on shared lines", count_or_nothing<2>},
};
bool charge_line(const AnyRecord& record, StackId& stack, std::span<u64> counts) {
    const auto* const row = record.as<Row>();
    if (row == nullptr) return false;
    stack = row->stack;
    counts[0] += events(larger_view(*row));
    counts[1] += false_events(larger_view(*row));
    counts[2] += row->loads + row->stores;
    return true;
}

}  // namespace

const StackMetrics kStackMetrics{kMetrics, charge_stack};
const LineColumns kLineColumns{kColumns, 3, 0, 0, charge_line};

}  // namespace memspy::report::contention
