// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/sections/locality/code_figures.h"

#include <cmath>
#include <cstdio>

#include "report/sections/locality/records.h"

namespace memspy::report::locality {
namespace {

const Stream* line_of(const AnyRecord& record, Frame& code) {
    const auto* const stream = record.as<Stream>();
    if (stream == nullptr || stream->kind != "line") return nullptr;
    code.fn = stream->within.empty() ? Text("(not known)") : stream->within;
    code.dir = stream->folder;
    code.file = stream->file;
    code.line = stream->line;
    return stream;
}

constexpr StackMetrics::Metric kMetrics[] = {
    {"words", "Words", "words of 8 bytes accessed"},
    {"far-words", "FarWords", "those of them that are new, or not used for more than 65,536 others"},
};
bool charge_stack(const AnyRecord& record, Frame& code, std::span<u64> values) {
    const Stream* const line = line_of(record, code);
    if (line == nullptr) return false;
    values[0] += line->accesses;
    values[1] += distant(line->reuses);
    return true;
}

// A score is the quotient of two counts, so that those of several profiles can be added.
enum ScoreCount : std::size_t { kAccesses, kFollowed, kSpatial, kTemporal, kFar, kScoreCounts };

template <ScoreCount Part>
Cell score_text(std::span<const u64> counts) {
    if (counts[kFollowed] == 0) return Cell("", "0");
    char text[32];
    std::snprintf(text, sizeof text, "%.3f",
                  static_cast<double>(counts[Part]) / static_cast<double>(counts[kFollowed]));
    return std::string(text);
}

constexpr LineColumns::LineColumn kColumns[] = {
    {"words", "words of 8 bytes accessed", count_or_nothing<kAccesses>},
    {"spatial", "their spatial locality", score_text<kSpatial>},
    {"temporal", "their temporal locality", score_text<kTemporal>},
    {"far", "the share that is new, or not used for more than 65,536 others", score_text<kFar>},
};
bool charge_line(const AnyRecord& record, Frame& code, std::span<u64> counts) {
    const Stream* const line = line_of(record, code);
    if (line == nullptr) return false;
    counts[kAccesses] += line->accesses;
    if (!has_scores(*line)) return true;
    const auto weight = static_cast<double>(line->accesses);
    const u64 all = followed(line->reuses);
    counts[kFollowed] += line->accesses;
    counts[kSpatial] += static_cast<u64>(std::llround(line->spatial * weight));
    counts[kTemporal] += static_cast<u64>(std::llround(line->temporal * weight));
    if (all != 0)
        counts[kFar] += static_cast<u64>(
            std::llround(weight * static_cast<double>(distant(line->reuses)) / static_cast<double>(all)));
    return true;
}

}  // namespace

const StackMetrics kStackMetrics{kMetrics, nullptr, charge_stack};
const LineColumns kLineColumns{kColumns, kScoreCounts, kAccesses, kAccesses, nullptr, charge_line};

}  // namespace memspy::report::locality
