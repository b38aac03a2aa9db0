// SPDX-License-Identifier: GPL-2.0-or-later
//
// Figures that a section charges to code: metrics of call stacks, for flame graphs and call graphs (export),
// and columns beside source lines (annotate).
#pragma once

#include <span>
#include <string_view>

#include "report/catalog.h"
#include "report/record_type.h"
#include "report/table.h"

namespace memspy::report {

struct StackMetrics {
    struct Metric {
        std::string_view name;   // of --metric
        std::string_view event;  // in callgrind's files
        std::string_view title;
    };
    std::span<const Metric> metrics;
    // Gives the record's stack, and adds its values in the order of the metrics. False: it has none.
    bool (*charge)(const AnyRecord& record, StackId& stack, std::span<u64> values);
    // The same for records that have no stack, but the code itself. One of the two is null.
    bool (*charge_code)(const AnyRecord& record, Frame& code, std::span<u64> values) = nullptr;
};

struct LineColumns {
    struct LineColumn {
        std::string_view title, help;
        Cell (*text)(std::span<const u64> counts);
    };
    std::span<const LineColumn> columns;
    std::size_t counts;  // how many there are
    std::size_t amount;  // the one that says how much is left out where a line is not known
    std::size_t rank;    // the one by which files are ordered
    // As above, for the counts.
    bool (*charge)(const AnyRecord& record, StackId& stack, std::span<u64> counts);
    bool (*charge_code)(const AnyRecord& record, Frame& code, std::span<u64> counts) = nullptr;
};

// Gives the stack of the record, one frame if it has no stack; `Figures` is one of the two.
template <typename Figures>
bool charge(const Figures& figures, const AnyRecord& record, Catalog& catalog, StackId& stack,
            std::span<u64> values) {
    if (figures.charge != nullptr) return figures.charge(record, stack, values);
    Frame code;
    if (!figures.charge_code(record, code, values)) return false;
    if (code != Frame{}) stack = catalog.stack_of(code);
    return true;
}

// One count as it is; nothing for 0.
template <std::size_t I>
Cell count_or_nothing(std::span<const u64> counts) {
    return counts[I] == 0 ? Cell("", "0") : number(counts[I]);
}

}  // namespace memspy::report
