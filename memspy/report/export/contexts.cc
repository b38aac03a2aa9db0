// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/export/contexts.h"

#include <algorithm>

#include "report/section.h"

namespace memspy::report {

const std::vector<StackMetrics::Metric>& all_metrics() {
    static const std::vector<StackMetrics::Metric> all = [] {
        std::vector<StackMetrics::Metric> metrics;
        for (const Section* section : all_sections())
            if (const StackMetrics* own = section->stack_metrics)
                metrics.insert(metrics.end(), own->metrics.begin(), own->metrics.end());
        return metrics;
    }();
    return all;
}

std::span<u64> ContextCosts::values() {
    values_.resize(all_metrics().size());
    return values_;
}

void ContextCosts::add(const ContextCosts& other) {
    const std::span<u64> sums = values();
    for (std::size_t i = 0; i < sums.size(); ++i) sums[i] += other[i];
}

void Contexts::record(const AnyRecord& record) {
    const StackMetrics* const metrics = record.section.stack_metrics;
    if (metrics == nullptr) return;
    std::vector<u64> values(metrics->metrics.size());
    StackId stack{};
    if (!charge(*metrics, record, *this, stack, values)) return;
    // The section's place among all metrics.
    std::size_t first = 0;
    for (const Section* section : all_sections()) {
        if (section == &record.section) break;
        if (section->stack_metrics != nullptr) first += section->stack_metrics->metrics.size();
    }
    const std::span<u64> sums = costs_[static_cast<u32>(stack)].values();
    for (std::size_t i = 0; i < values.size(); ++i) sums[first + i] += values[i];
}

}  // namespace memspy::report
