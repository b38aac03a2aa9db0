// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/sections/mix/comparison.h"

#include "report/comparison.h"
#include "report/sections/mix/records.h"

namespace memspy::report::mix {
namespace {

class MixComparison : public Comparison {
public:
    void record(const AnyRecord& record, const Catalog& catalog) override {
        const auto* const code = record.as<Code>();
        if (code == nullptr) return;
        const LastingName name = code->stack == StackId{} ? LastingName{"other functions", "other functions"}
                                                          : lasting_name(catalog, code->stack);
        instructions_.add(name, code->instructions);
        operations_.add(name, code->f32_operations + code->f64_operations);
        mispredicted_.add(name, code->mispredicted);
    }
    std::vector<Figures> figures() const override { return {instructions_, operations_, mispredicted_}; }

private:
    Figures instructions_{"Instructions by function", "mix-instructions", {}},
        operations_{"Floating operations by function", "mix-operations", {}},
        mispredicted_{"Mispredicted branches by function", "mix-mispredicted", {}};
};

}  // namespace

std::unique_ptr<Comparison> comparison(std::string_view) { return std::make_unique<MixComparison>(); }

}  // namespace memspy::report::mix
