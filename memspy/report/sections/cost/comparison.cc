// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/sections/cost/comparison.h"

#include "report/comparison.h"
#include "report/sections/cost/records.h"

namespace memspy::report::cost {
namespace {

class CostComparison : public Comparison {
public:
    void record(const AnyRecord& record, const Catalog& catalog) override {
        const auto* const cost = record.as<ObjectCost>();
        if (cost == nullptr) return;
        if (cost->object == ObjectId{})
            by_object_.add("small blocks", cost->cycles);
        else
            by_object_.add(lasting_name(catalog, cost->object), cost->cycles);
    }
    std::vector<Figures> figures() const override { return {by_object_}; }

private:
    Figures by_object_{"Memory cost in cycles, by object", "cost-by-object", {}};
};

}  // namespace

std::unique_ptr<Comparison> comparison(std::string_view) { return std::make_unique<CostComparison>(); }

}  // namespace memspy::report::cost
