// SPDX-License-Identifier: GPL-2.0-or-later
//
// Costs by call stack, for flame graphs and call graphs.
#pragma once

#include "report/catalog.h"
#include "report/sums_table.h"

namespace memspy::report {

struct ContextCosts {
    u64 modelled = 0, observed = 0, false_sharing = 0, loads = 0, stores = 0, redundant = 0;
    bool operator==(const ContextCosts&) const = default;
    void add(const ContextCosts& other);
};

struct Metric {
    std::string_view name;   // for --metric
    std::string_view event;  // in callgrind's files
    std::string_view title;
    u64 ContextCosts::*value;
};
inline constexpr Metric kMetrics[] = {
    {"modelled", "Modelled", "misses and invalidations in the model", &ContextCosts::modelled},
    {"observed", "Observed", "misses and invalidations as the threads really ran", &ContextCosts::observed},
    {"false", "FalseSharing", "modelled ones that are false sharing", &ContextCosts::false_sharing},
    {"loads", "SharedLoads", "loads of shared lines", &ContextCosts::loads},
    {"stores", "SharedStores", "stores to shared lines", &ContextCosts::stores},
    {"redundant", "RedundantZeros", "redundant zero cells loaded", &ContextCosts::redundant},
};
inline constexpr std::string_view kMetricWords = "modelled|observed|false|loads|stores|redundant";

class Contexts : public Catalog {
public:
    void record(const AnyRecord& record) override;

    // By stack; 0 is for costs without a stack.
    const SumsTable<ContextCosts>& costs() const { return costs_; }

private:
    SumsTable<ContextCosts> costs_;
};

}  // namespace memspy::report
