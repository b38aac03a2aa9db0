// SPDX-License-Identifier: GPL-2.0-or-later
//
// How long walks take, and the staircase that they climb.
#include "machine/search_state.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace memspy::machine {

std::optional<double> Search::time_of(const Offsets& offsets, PageKind memory, double agree,
                                      std::optional<u64> beside) {
    for (int attempt = 0; attempt < 3; ++attempt)
        if (const auto ns = walker_->ns(offsets, memory, agree, beside)) return ns;
    return std::nullopt;
}

Pages Search::first_pages(u64 count) const {
    Pages pages(count);
    std::iota(pages.begin(), pages.end(), 0);
    return pages;
}

Pages Search::some_pages(u64 count) {
    Pages pages = first_pages(pages_);
    std::shuffle(pages.begin(), pages.end(), random_);
    pages.resize(std::min<std::size_t>(pages.size(), count));
    return pages;
}

// One line in each page, or `each`, one after the other; at all possible offsets, so that lines compete for
// no set before a cache is full. The second term rotates the offsets with each turn, because the page's
// number selects a set, too.
std::optional<double> Search::spread(const Pages& pages, PageKind memory, u64 each) {
    const u64 lines = page_ / unit();
    std::vector<std::size_t> order(pages.size());
    std::iota(order.begin(), order.end(), 0);
    std::shuffle(order.begin(), order.end(), random_);
    Offsets offsets;
    for (const std::size_t i : order)
        for (u64 k = 0; k < each; ++k)
            offsets.push_back(pages[i] * page_ + (i + i / lines + k * lines / each) % lines * unit());
    return time_of(offsets, memory, 0.02);
}

std::optional<double> Search::dense(u64 count, u64 distance) {
    Offsets offsets(count);
    for (u64 i = 0; i < count; ++i) offsets[i] = i * distance;
    std::shuffle(offsets.begin(), offsets.end(), random_);
    return time_of(offsets, PageKind::Large, 0.05);
}

// One load for each line of so many consecutive units. Walks over more lines are slow, so some are left out
// then: a step is still seen, but a cache that hashes addresses holds longer walks of fewer lines (see
// bound()).
std::optional<double> Search::consecutive(u64 units) {
    u64 count = units * kUnit / unit(), distance = unit();
    for (; count > kMostLines; count /= 2) distance *= 2;
    return dense(count, distance);
}

void Search::measure_curve() {
    curve_.clear();
    const u64 most = walker_->size() / kUnit;
    for (double wanted = 16; wanted <= static_cast<double>(most); wanted *= 1.26)
        if (const auto ns = consecutive(static_cast<u64>(wanted)))
            curve_.push_back({static_cast<u64>(wanted), *ns});
}

// A step is three points or more that differ little from each other and much from the step before.
void Search::find_steps() {
    steps_.clear();
    for (std::size_t i = 0; i < curve_.size();) {
        std::size_t end = i + 1;
        while (end < curve_.size() && std::abs(curve_[end].ns - curve_[i].ns) <= 0.25 * curve_[i].ns) ++end;
        const bool far = steps_.empty() || curve_[i].ns > kStep * steps_.back().ns;
        if (far && end - i >= 3) {
            std::vector<double> times;
            for (std::size_t k = i; k < end; ++k) times.push_back(curve_[k].ns);
            std::sort(times.begin(), times.end());
            steps_.push_back({curve_[i].ns, times[times.size() / 2], times.back(), curve_[i].lines,
                              curve_[end - 1].lines});
            i = end;
        } else {
            ++i;
        }
    }
}

// The middle of the step's walks: the shortest ones hit the level before, too.
Figure<double> Search::latency_of(const SizeStep& step) const {
    const std::string how = "dependent loads, translation included, in walks over " +
                            std::to_string(step.first * kUnit / 1024) + " to " +
                            std::to_string(step.last * kUnit / 1024) + " KiB";
    return step.most_ns <= 1.1 * step.middle_ns && step.ns >= 0.9 * step.middle_ns
               ? Figure<double>::measured(step.middle_ns, how)
               : Figure<double>::estimated(step.middle_ns, "the middle of " + how);
}

}  // namespace memspy::machine
