// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/sections/mix/code_figures.h"

#include "report/sections/mix/records.h"

namespace memspy::report::mix {
namespace {

constexpr StackMetrics::Metric kMetrics[] = {
    {"instructions", "Instructions", "instructions"},
    {"operations", "FloatingOperations", "floating operations"},
    {"mispredicted", "Mispredicted", "conditional branches that the modelled predictor gets wrong"},
};
bool charge_stack(const AnyRecord& record, StackId& stack, std::span<u64> values) {
    const auto* const code = record.as<Code>();
    if (code == nullptr || code->stack == StackId{}) return false;
    stack = code->stack;
    values[0] += code->instructions;
    values[1] += code->f32_operations + code->f64_operations;
    values[2] += code->mispredicted;
    return true;
}

}  // namespace

const StackMetrics kStackMetrics{kMetrics, charge_stack};

}  // namespace memspy::report::mix
