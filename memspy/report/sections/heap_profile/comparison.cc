// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/sections/heap_profile/comparison.h"

#include "report/comparison.h"
#include "report/sections/heap_profile/records.h"

namespace memspy::report::heap_profile {
namespace {

class HeapComparison : public Comparison {
public:
    void record(const AnyRecord& record, const Catalog& catalog) override {
        const auto* const context = record.as<Context>();
        if (context == nullptr || context->custom) return;
        const LastingName name = lasting_name(catalog, context->stack);
        peak_.add(name, context->peak_bytes);
        end_.add(name, context->end_bytes);
        blocks_.add(name, context->blocks);
    }
    std::vector<Figures> figures() const override { return {peak_, end_, blocks_}; }

private:
    Figures peak_{"Bytes at the heap's peak by function", "heap-peak", {}},
        end_{"Bytes of the heap at the end by function", "heap-end", {}},
        blocks_{"Blocks allocated by function", "heap-blocks", {}};
};

}  // namespace

std::unique_ptr<Comparison> comparison(std::string_view) { return std::make_unique<HeapComparison>(); }

}  // namespace memspy::report::heap_profile
