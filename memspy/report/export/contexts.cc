// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/export/contexts.h"

#include "report/sections/contention/records.h"
#include "report/sections/zeros/records.h"

namespace memspy::report {

void ContextCosts::add(const ContextCosts& other) {
    for (const Metric& metric : kMetrics) this->*metric.value += other.*metric.value;
}

void Contexts::record(const AnyRecord& record) {
    if (const auto* row = record.as<contention::Row>()) {
        ContextCosts& costs = costs_[static_cast<u32>(row->stack)];
        costs.modelled += events(row->modelled);
        costs.observed += events(row->observed);
        costs.false_sharing += false_events(row->modelled);
        costs.loads += row->loads;
        costs.stores += row->stores;
    } else if (const auto* zeros = record.as<zeros::Row>()) {
        costs_[static_cast<u32>(zeros->stack)].redundant += zeros->redundant;
    }
}

}  // namespace memspy::report
