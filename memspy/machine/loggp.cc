// SPDX-License-Identifier: GPL-2.0-or-later
#include "machine/loggp.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include "machine/repetition.h"

namespace memspy::machine {
namespace {

constexpr unsigned kMessages = 16;      // of a train
constexpr double kTolerance = 0.15;     // of the times of a stretch
constexpr std::size_t kLeastSizes = 3;  // of a stretch
constexpr std::size_t kMostStretches = 3;
constexpr Repetition kRepetition{.least = 5, .most = 60, .agree = 0.05};

// The processors' other work makes some of the trips longer.
double least_of(MessagePair& pair, unsigned messages, double delay, u64 bytes) {
    constexpr int kTrips = 6;
    double least = 1e300;
    for (int i = 0; i < kTrips; ++i) {
        const RoundTrip trip = pair.round_trip(messages, delay, bytes);
        least = std::min(least, trip.ns - trip.computed_ns);
    }
    return least;
}

std::optional<double> time_of(MessagePair& pair, unsigned messages, double delay, u64 bytes,
                              const Deadline& deadline) {
    return repeat([&] { return least_of(pair, messages, delay, bytes); }, deadline, kRepetition);
}

struct FittedLine {
    double at_first = 0, slope = 0;
    double error = 1e300;  // the greatest relative one
};

// Least squares of relative errors.
FittedLine fit_line(const SizeTimes* times, std::size_t count) {
    double w = 0, x = 0, xx = 0, y = 0, xy = 0;
    for (std::size_t i = 0; i < count; ++i) {
        const double bytes = static_cast<double>(times[i].bytes - 1), value = times[i].per_message_ns;
        const double weight = 1 / (value * value);
        w += weight, x += weight * bytes, xx += weight * bytes * bytes;
        y += weight * value, xy += weight * bytes * value;
    }
    FittedLine line;
    const double determinant = w * xx - x * x;
    if (!(determinant > 0)) return line;
    line.slope = (w * xy - x * y) / determinant;
    line.at_first = (y - line.slope * x) / w;
    line.error = 0;
    for (std::size_t i = 0; i < count; ++i) {
        const double value = times[i].per_message_ns;
        const double fitted = line.at_first + line.slope * static_cast<double>(times[i].bytes - 1);
        line.error = std::max(line.error, std::abs(fitted - value) / value);
    }
    // Larger messages do not take less time.
    if (line.slope < 0) line.error = 1e300;
    return line;
}

struct Division {
    double error = 1e300;
    std::vector<SizeStretch> stretches;
};

// The best division of the sizes from `first` on.
Division divide(const std::vector<SizeTimes>& times, std::size_t first, std::size_t stretches) {
    Division best;
    const std::size_t left = times.size() - first;
    for (std::size_t count = kLeastSizes; count <= left; ++count) {
        if (stretches == 1 && count != left) continue;
        const FittedLine line = fit_line(&times[first], count);
        Division rest;
        if (stretches > 1) rest = divide(times, first + count, stretches - 1);
        const double error = stretches == 1 ? line.error : std::max(line.error, rest.error);
        if (error >= best.error) continue;
        best.error = error;
        best.stretches = {{times[first].bytes, times[first + count - 1].bytes, line.at_first, line.slope}};
        best.stretches.insert(best.stretches.end(), rest.stretches.begin(), rest.stretches.end());
    }
    return best;
}

}  // namespace

std::vector<SizeStretch> fit_stretches(const std::vector<SizeTimes>& times, double tolerance) {
    for (std::size_t stretches = 1; stretches <= kMostStretches; ++stretches) {
        if (times.size() < stretches * kLeastSizes) break;
        Division division = divide(times, 0, stretches);
        if (division.error <= tolerance) return division.stretches;
    }
    return {};
}

LogGp measure_pair(MessagePair& pair, u64 most_bytes, const Deadline& deadline) {
    LogGp result;
    const std::string unsteady = "round trips do not agree: the network or the processors are busy";
    for (u64 bytes = 1; bytes <= most_bytes; bytes = bytes < 64 ? bytes * 8 : bytes * 2) {
        const std::optional<double> one = time_of(pair, 1, 0, bytes, deadline);
        const std::optional<double> train = time_of(pair, kMessages, 0, bytes, deadline);
        if (!one || !train || *train <= *one) continue;
        result.times.push_back({bytes, *one / 2, (*train - *one) / (kMessages - 1)});
    }
    result.stretches = fit_stretches(result.times, kTolerance);
    if (result.stretches.empty()) {
        const std::string why =
            result.times.size() < kLeastSizes ? unsteady : "no lines fit the times of the sizes";
        result.gap_ns = result.gap_per_byte_ns = Figure<double>::not_found(why);
    } else {
        const std::string how =
            "line through trains of 16 messages, " + std::to_string(result.stretches.size()) + " stretches";
        result.gap_ns = Figure<double>::measured(result.stretches.front().gap_ns, how);
        result.gap_per_byte_ns = Figure<double>::measured(result.stretches.back().gap_per_byte_ns, how);
        // The first stretch of one or two sizes may be too short to tell the gap from the bytes' part.
        if (result.gap_ns && *result.gap_ns <= 0)
            result.gap_ns = Figure<double>::not_found("it is too small beside the bytes' part");
    }
    if (result.times.empty() || result.times.front().bytes != 1) {
        result.latency_ns = result.overhead_ns = Figure<double>::not_found(unsteady);
        return result;
    }
    const double one = 2 * result.times.front().one_way_ns;
    const double delay = 4 * result.times.front().per_message_ns + 2000;
    const std::optional<double> spaced = time_of(pair, kMessages, delay, 1, deadline);
    const double overhead = spaced ? (*spaced - one) / (kMessages - 1) : 0;
    if (!(overhead > 0)) {
        const std::string why = spaced ? "it is less than a clock shows" : unsteady;
        result.overhead_ns = Figure<double>::not_found(why);
        result.latency_ns = Figure<double>::not_found("the overhead is not known");
        return result;
    }
    result.overhead_ns = Figure<double>::measured(overhead, "16 messages with computing between them");
    if (const double latency = one / 2 - 2 * overhead; latency > 0)
        result.latency_ns = Figure<double>::measured(latency, "half a round trip less two overheads");
    else
        result.latency_ns = Figure<double>::not_found("the two overheads take all of the time");
    return result;
}

}  // namespace memspy::machine
