// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/sections/ranks/spread.h"

#include <algorithm>
#include <bit>

namespace memspy::report::ranks {
namespace {

constexpr std::size_t kKept = 8;
constexpr u64 kExact = 16;   // values below have classes of their own
constexpr u64 kClasses = 8;  // of each doubling

// The middle of a class.
u64 value_of_class(u64 number) {
    if (number < kExact) return number;
    const u64 doubling = (number - kExact) / kClasses;
    const u64 width = (kExact << doubling) / kClasses;
    return (kExact << doubling) + (number - kExact) % kClasses * width + width / 2;
}

// The first `kKept` of both in that order.
template <typename Before>
void keep_first(std::vector<NumberPair>& into, const std::vector<NumberPair>& from, Before before) {
    into.insert(into.end(), from.begin(), from.end());
    std::sort(into.begin(), into.end(), before);
    if (into.size() > kKept) into.resize(kKept);
}

// The value at a place of the order from the least to the most.
u64 value_at(const Finding& finding, u64 place, u64 ranks) {
    const auto &least = finding.least.values, &most = finding.most.values;
    if (place < least.size()) return least[place].second;
    if (ranks - 1 - place < most.size()) return most[ranks - 1 - place].second;
    u64 passed = 0;
    for (const NumberPair& each : finding.classes.classes) {
        passed += each.second;
        if (passed > place)
            return std::clamp(value_of_class(each.first), least.back().second, most.back().second);
    }
    return most.back().second;
}

}  // namespace

u64 class_of_value(u64 value) {
    if (value < kExact) return value;
    const u64 doubling = static_cast<u64>(std::bit_width(value / kExact)) - 1;
    return kExact + doubling * kClasses + ((value >> doubling) - kExact) / (kExact / kClasses);
}

void fold(RankSet& into, const RankSet& from) {
    std::vector<NumberPair> all = into.runs;
    all.insert(all.end(), from.runs.begin(), from.runs.end());
    std::sort(all.begin(), all.end(),
              [](const NumberPair& a, const NumberPair& b) { return a.first < b.first; });
    into.runs.clear();
    for (const NumberPair& run : all) {
        if (!into.runs.empty() && run.first <= into.runs.back().second + 1)
            into.runs.back().second = std::max(into.runs.back().second, run.second);
        else
            into.runs.push_back(run);
    }
}

void fold(ValueClasses& into, const ValueClasses& from) {
    std::vector<NumberPair> sum;
    auto a = into.classes.cbegin(), b = from.classes.cbegin();
    while (a != into.classes.cend() || b != from.classes.cend()) {
        if (b == from.classes.cend() || (a != into.classes.cend() && a->first < b->first)) {
            sum.push_back(*a++);
        } else if (a == into.classes.cend() || b->first < a->first) {
            sum.push_back(*b++);
        } else {
            sum.push_back({a->first, a->second + b->second});
            ++a, ++b;
        }
    }
    into.classes = std::move(sum);
}

void fold(LeastValues& into, const LeastValues& from) {
    keep_first(into.values, from.values, [](const NumberPair& a, const NumberPair& b) {
        return a.second != b.second ? a.second < b.second : a.first < b.first;
    });
}
void fold(MostValues& into, const MostValues& from) {
    keep_first(into.values, from.values, [](const NumberPair& a, const NumberPair& b) {
        return a.second != b.second ? a.second > b.second : a.first < b.first;
    });
}

void set_value(Finding& finding, u64 rank, u64 value) {
    finding.sum = value;
    finding.ranks.runs = {{rank, rank}};
    finding.classes.classes = {{class_of_value(value), 1}};
    finding.least.values = {{rank, value}};
    finding.most.values = {{rank, value}};
}

Spread spread_of(const Finding& finding) {
    Spread spread;
    for (const NumberPair& each : finding.classes.classes) spread.ranks += each.second;
    const auto &least = finding.least.values, &most = finding.most.values;
    if (spread.ranks == 0 || least.empty() || most.empty()) return spread;
    const auto at = [&](u64 place) { return value_at(finding, place, spread.ranks); };
    const u64 last = spread.ranks - 1;
    spread.least = at(0);
    spread.median = at(last / 2);
    spread.most = at(last);
    if (spread.ranks < 4) return spread;
    const u64 first_quarter = at(last / 4), third_quarter = at(last - last / 4);
    // Quartiles are known as exactly as their classes.
    const u64 far = 3 * std::max(third_quarter - first_quarter, third_quarter / kClasses);
    const auto name = [&](const std::vector<NumberPair>& values, auto is_far) {
        std::size_t found = 0;
        for (const NumberPair& each : values)
            if (is_far(each.second)) spread.outliers.push_back(each), ++found;
        spread.more |= found == kKept;
    };
    name(most, [&](u64 value) { return value > third_quarter + far; });
    name(least, [&](u64 value) { return value + far < first_quarter; });
    return spread;
}

std::string text_of(const RankSet& set) {
    std::string text;
    for (const NumberPair& run : set.runs) {
        if (!text.empty()) text += ", ";
        text += std::to_string(run.first);
        if (run.second != run.first) text += "-" + std::to_string(run.second);
    }
    return text;
}

}  // namespace memspy::report::ranks
