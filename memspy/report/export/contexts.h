// SPDX-License-Identifier: GPL-2.0-or-later
//
// Costs by call stack, for flame graphs and call graphs.
#pragma once

#include <vector>

#include "report/catalog.h"
#include "report/code_figures.h"
#include "report/sums_table.h"

namespace memspy::report {

// Of all sections, in their order.
const std::vector<StackMetrics::Metric>& all_metrics();

// A value for each metric.
class ContextCosts {
public:
    u64 operator[](std::size_t metric) const { return metric < values_.size() ? values_[metric] : 0; }
    void add(const ContextCosts& other);
    std::span<u64> values();

private:
    std::vector<u64> values_;  // empty: all are 0
};

class Contexts : public Catalog {
public:
    void record(const AnyRecord& record) override;

    // By stack; 0 is for costs without a stack.
    const SumsTable<ContextCosts>& costs() const { return costs_; }

private:
    SumsTable<ContextCosts> costs_;
};

}  // namespace memspy::report
