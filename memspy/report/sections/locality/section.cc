// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/section.h"

#include <algorithm>
#include <cmath>
#include <tuple>

#include "report/catalog.h"
#include "report/record_ops.h"
#include "report/sections/locality/code_figures.h"
#include "report/sections/locality/command.h"
#include "report/sections/locality/comparison.h"
#include "report/sections/locality/map_command.h"
#include "report/sections/locality/names.h"
#include "report/sections/locality/records.h"

namespace memspy::report::locality {
namespace {

constexpr const Command* kCommands[] = {&kLocalityCommand, &kMapCommand};

// The unit of `near`, and of scores as the tool writes them.
constexpr double kUnit = 100'000;

double score(double sum, u64 accesses) {
    return std::round(sum / static_cast<double>(accesses) * kUnit) / kUnit;
}

// Sum over i = 0..n-1 of [R(2^(i+1)) - R(2^i)] * (n-i)/n, times the accesses (docs/locality.md).
double temporal_sum(const Reuses& reuses) {
    constexpr u64 kSteps = 16;
    double sum = 0;
    for (u64 i = 0; i < kSteps && i + 1 < reuses.buckets.size(); ++i)
        sum += static_cast<double>(reuses.buckets[i + 1]) * static_cast<double>(kSteps - i) / kSteps;
    return sum;
}

bool is_for_user(const AnyRecord& record, const Catalog& catalog) {
    const auto* const advice = record.as<Advice>();
    return advice == nullptr ||
           catalog.may_change(std::string(advice->folder) + "/" + std::string(advice->file));
}

}  // namespace

double score_error(const Stream& stream, u64 variance) {
    constexpr double kErrorUnit = 100;
    if (variance == 0) return 0;
    return std::sqrt(static_cast<double>(variance)) * kErrorUnit /
           static_cast<double>(followed(stream.reuses));
}

void fold(Stream& into, const Stream& from) {
    fold_fields(into, from);
    report::fold(into.reuses, from.reuses);
    const u64 seen = followed(into.reuses);
    if (seen == 0 || into.accesses == 0) return;
    into.spatial = score(static_cast<double>(into.near) / kUnit, seen);
    into.temporal = score(temporal_sum(into.reuses), seen);
    into.followed = score(static_cast<double>(seen), into.accesses);
}

void fold(Ranges& into, const Ranges& from) {
    fold_fields(into, from);
    std::vector<NumberPair> all = into.ranges;
    all.insert(all.end(), from.ranges.begin(), from.ranges.end());
    std::sort(all.begin(), all.end(),
              [](const NumberPair& a, const NumberPair& b) { return a.first < b.first; });
    into.ranges.clear();
    for (const NumberPair& each : all) {
        if (!into.ranges.empty() && each.first <= into.ranges.back().second)
            into.ranges.back().second = std::max(into.ranges.back().second, each.second);
        else
            into.ranges.push_back(each);
    }
}

void fold(AccessMap& into, const AccessMap& from) {
    const auto rank = [](const AccessMap& map) {
        return std::tie(map.accesses, map.begin, map.step, map.first_byte, map.row_bytes, map.read,
                        map.written);
    };
    if (rank(from) > rank(into)) into = from;
}

#define MEMSPY_FIELDS "fields/locality.def"
#include "report/section_from.h"

extern const Section kSection;
const Section kSection{.name = kName,
                       .records = kRecords,
                       .commands = kCommands,
                       .comparison = comparison,
                       .pass_with_names = pass_with_names,
                       .is_for_user = is_for_user,
                       .stack_metrics = &kStackMetrics,
                       .line_columns = &kLineColumns};

}  // namespace memspy::report::locality
