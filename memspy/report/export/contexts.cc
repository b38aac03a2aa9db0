// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/export/contexts.h"

namespace memspy::report {

void ContextCosts::add(const ContextCosts& other) {
    for (const Metric& metric : kMetrics) this->*metric.value += other.*metric.value;
}

void Contexts::row(const Row& record) {
    ContextCosts& costs = costs_[static_cast<u32>(record.stack)];
    costs.modelled += record.views.modelled.events();
    costs.observed += record.views.observed.events();
    costs.false_sharing += record.views.modelled.false_events();
    costs.loads += record.loads;
    costs.stores += record.stores;
}

void Contexts::zero_row(const ZeroRow& record) {
    costs_[static_cast<u32>(record.stack)].redundant += record.redundant;
}

}  // namespace memspy::report
