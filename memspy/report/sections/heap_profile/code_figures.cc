// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/sections/heap_profile/code_figures.h"

#include "report/sections/heap_profile/records.h"

namespace memspy::report::heap_profile {
namespace {

constexpr StackMetrics::Metric kMetrics[] = {
    {"heap-peak", "HeapPeakBytes", "bytes of the heap that live at its peak"},
    {"heap-end", "HeapEndBytes", "bytes of the heap that live at the end"},
    {"heap-bytes", "HeapBytes", "bytes allocated"},
    {"heap-blocks", "HeapBlocks", "blocks allocated"},
};
bool charge_stack(const AnyRecord& record, StackId& stack, std::span<u64> values) {
    const auto* const context = record.as<Context>();
    if (context == nullptr || context->stack == StackId{} || context->custom) return false;
    stack = context->stack;
    values[0] += context->peak_bytes;
    values[1] += context->end_bytes;
    values[2] += context->bytes;
    values[3] += context->blocks;
    return true;
}

}  // namespace

const StackMetrics kStackMetrics{kMetrics, charge_stack};

}  // namespace memspy::report::heap_profile
