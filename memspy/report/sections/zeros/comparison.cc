// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/sections/zeros/comparison.h"

#include "report/comparison.h"
#include "report/sections/zeros/records.h"

namespace memspy::report::zeros {
namespace {

class ZerosComparison : public Comparison {
public:
    void record(const AnyRecord& record, const Catalog& catalog) override {
        if (const auto* row = record.as<Row>())
            by_code_.add(lasting_name(catalog, row->stack), row->redundant, catalog.may_change(row->stack),
                         place_of(catalog, row->stack));
    }
    std::vector<Figures> figures() const override { return {by_code_}; }

private:
    Figures by_code_{"Redundant zeros, by code", "zeros-by-code", {}};
};

}  // namespace

std::unique_ptr<Comparison> comparison(std::string_view) { return std::make_unique<ZerosComparison>(); }

}  // namespace memspy::report::zeros
