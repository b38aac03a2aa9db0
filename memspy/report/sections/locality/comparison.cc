// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/sections/locality/comparison.h"

#include "report/comparison.h"
#include "report/sections/locality/records.h"

namespace memspy::report::locality {
namespace {

class LocalityComparison : public Comparison {
public:
    void record(const AnyRecord& record, const Catalog&) override {
        const auto* const stream = record.as<Stream>();
        if (stream != nullptr && stream->kind == "function" && has_scores(*stream))
            by_function_.add(std::string(stream->function), distant(stream->reuses));
    }
    std::vector<Figures> figures() const override { return {by_function_}; }

private:
    Figures by_function_{"Accesses to new or long unused words, by function", "locality-by-function", {}};
};

}  // namespace

std::unique_ptr<Comparison> comparison(std::string_view) { return std::make_unique<LocalityComparison>(); }

}  // namespace memspy::report::locality
