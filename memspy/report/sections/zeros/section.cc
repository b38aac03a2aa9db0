// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/section.h"

#include <algorithm>
#include <limits>
#include <numeric>

#include "report/catalog.h"
#include "report/record_ops.h"
#include "report/sections/zeros/code_figures.h"
#include "report/sections/zeros/comparison.h"
#include "report/sections/zeros/names.h"
#include "report/sections/zeros/records.h"
#include "report/sections/zeros/text.h"

namespace memspy::report::zeros {

// If two records disagree on the stride, the merged one has none, and stays so.
void fold(Stride& into, const Stride& from) {
    if (into.stride != from.stride) {
        into = {};
    } else {
        fold_fields(into, from);
    }
}

// The columns that are zero in both.
void fold(Columns& into, const Columns& from) {
    if (into.stride != from.stride) {
        into = {};
        return;
    }
    std::vector<NumberPair> both;
    for (const NumberPair& a : into.ranges) {
        for (const NumberPair& b : from.ranges) {
            const NumberPair common{std::max(a.first, b.first), std::min(a.second, b.second)};
            if (common.first <= common.second) both.push_back(common);
        }
    }
    std::sort(both.begin(), both.end(),
              [](const NumberPair& a, const NumberPair& b) { return a.first < b.first; });
    into.ranges = std::move(both);
    if (into.ranges.empty()) into = {};
}

namespace {

// The map with `factor` cells merged into one.
std::vector<NumberPair> coarser(const std::vector<NumberPair>& cells, u64 factor) {
    std::vector<NumberPair> result;
    for (std::size_t i = 0; i < cells.size(); ++i) {
        if (i % factor == 0) result.emplace_back();
        result.back().first += cells[i].first;
        result.back().second += cells[i].second;
    }
    return result;
}

bool is_for_user(const AnyRecord& record, const Catalog& catalog) {
    if (const auto* const row = record.as<Row>()) return catalog.may_change(row->stack);
    if (const auto* const counts = record.as<ObjectCounts>()) return catalog.may_change(counts->object);
    return true;
}

}  // namespace

void fold(Map& into, const Map& from) {
    if (from.cell == 0 || into.cell == 0) {
        into = {};
        return;
    }
    const u64 step = from.cell / std::gcd(into.cell, from.cell);
    if (into.cell > std::numeric_limits<u64>::max() / step)
        throw FoldError("its maps of zeros have no common cell");
    const u64 cell = into.cell * step;
    into.cells = coarser(into.cells, step);
    const std::vector<NumberPair> other = coarser(from.cells, cell / from.cell);
    into.cells.resize(std::max(into.cells.size(), other.size()));
    for (std::size_t i = 0; i < other.size(); ++i) {
        into.cells[i].first += other[i].first;
        into.cells[i].second += other[i].second;
    }
    into.cell = cell;
}

#define MEMSPY_FIELDS "fields/zeros.def"
#include "report/section_from.h"

extern const Section kSection;
const Section kSection{.name = kName,
                       .records = kRecords,
                       .commands = {},
                       .comparison = comparison,
                       .text = text_part,
                       .pass_with_names = pass_with_names,
                       .is_for_user = is_for_user,
                       .stack_metrics = &kStackMetrics,
                       .line_columns = &kLineColumns};

}  // namespace memspy::report::zeros
