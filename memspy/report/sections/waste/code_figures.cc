// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/sections/waste/code_figures.h"

#include "report/sections/waste/records.h"

namespace memspy::report::waste {
namespace {

constexpr StackMetrics::Metric kMetrics[] = {
    {"waste-dead", "DeadBytes", "bytes stored and never loaded"},
    {"waste-silent", "SilentBytes", "bytes stored though they were there"},
    {"waste-loads", "BytesLoadedAgain", "bytes loaded again with the same value"},
};

template <typename T>
bool charge(const AnyRecord& record, StackId& stack, u64& to) {
    const auto* const row = record.as<T>();
    if (row == nullptr) return false;
    stack = row->stack;
    to += row->bytes;
    return true;
}

bool charge_stack(const AnyRecord& record, StackId& stack, std::span<u64> values) {
    return charge<Dead>(record, stack, values[0]) || charge<Silent>(record, stack, values[1]) ||
           charge<Again>(record, stack, values[2]);
}

}  // namespace

const StackMetrics kStackMetrics{kMetrics, charge_stack};

}  // namespace memspy::report::waste
