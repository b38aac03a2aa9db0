// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/sections/waste/comparison.h"

#include "report/comparison.h"
#include "report/sections/waste/records.h"

namespace memspy::report::waste {
namespace {

class WasteComparison : public Comparison {
public:
    void record(const AnyRecord& record, const Catalog& catalog) override {
        if (const auto* dead = record.as<Dead>()) dead_.add(lasting_name(catalog, dead->stack), dead->bytes);
        if (const auto* silent = record.as<Silent>())
            silent_.add(lasting_name(catalog, silent->stack), silent->bytes);
        if (const auto* again = record.as<Again>())
            again_.add(lasting_name(catalog, again->stack), again->bytes);
    }
    std::vector<Figures> figures() const override { return {dead_, silent_, again_}; }

private:
    Figures dead_{"Bytes stored and never loaded by function", "waste-dead", {}},
        silent_{"Bytes stored though they were there by function", "waste-silent", {}},
        again_{"Bytes loaded again by function", "waste-loads", {}};
};

}  // namespace

std::unique_ptr<Comparison> comparison(std::string_view) { return std::make_unique<WasteComparison>(); }

}  // namespace memspy::report::waste
