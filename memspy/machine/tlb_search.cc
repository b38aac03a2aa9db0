// SPDX-License-Identifier: GPL-2.0-or-later
//
// Translation buffers.
#include "machine/search_state.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace memspy::machine {

// Whether walks over one line of each of some more than `fits` pages leave no cache there, so that what makes
// them slower by `rise` are translations. Walks over two lines of each of two thirds as many pages need fewer
// translations and more room. They must be no slower than as many lines in a row, and where a cache may be
// left, no slower than half as many.
bool Search::caches_hold_lines_of(u64 fits, double before, double rise) {
    // Lines of scattered pages leave a cache whose ways are larger than a page earlier than lines in a row.
    // Of a later cache, only an edge far from its number of lines is surely a TLB's.
    const auto lines_of = [&](const SizeStep& step) { return step.last * kUnit / unit(); };
    bool near = (first_way_ == 0 || first_way_ > page_) && 4 * fits >= lines_of(steps_[0]) &&
                fits <= 3 * lines_of(steps_[0]);
    for (std::size_t later = 1; later + 1 < steps_.size(); ++later)
        near = near || (3 * fits >= lines_of(steps_[later]) && fits <= 2 * lines_of(steps_[later]));
    const u64 pages = std::max<u64>(fits * 13 / 20, 1);
    const auto twice = spread(first_pages(pages), PageKind::Ordinary, 2);
    const auto beside = [&](u64 lines) {
        const auto in_a_row = dense(lines, unit());
        return twice && in_a_row && 2 * (*twice - *in_a_row) - before < 0.1 * rise;
    };
    return beside(2 * pages) && (!near || beside(pages));
}

// The same staircase for translations alone.
std::vector<TlbLevel> Search::find_tlbs() {
    std::vector<TlbLevel> levels;
    std::vector<std::pair<u64, double>> curve;
    const auto cost = [&](u64 count) -> std::optional<double> {
        const auto apart = spread(first_pages(count), PageKind::Ordinary);
        const auto together = dense(count, unit());
        if (!apart || !together) return std::nullopt;
        return *apart - *together;
    };
    for (double wanted = 4; wanted <= static_cast<double>(std::min<u64>(pages_, 8192)); wanted *= 1.3) {
        const u64 count = static_cast<u64>(wanted);
        if (!curve.empty() && curve.back().first >= count) continue;
        if (const auto ns = cost(count)) curve.emplace_back(count, *ns);
    }
    double before = 0;
    for (std::size_t i = 1; i + 2 < curve.size() && levels.size() < 2; ++i) {
        // Three successive points that are similar and higher by a quarter of the first cache's latency. What
        // is not in the second level takes at least as long again as what is: a table is read then. Lesser
        // rises have other causes.
        const double least = before + std::max(0.25 * steps_[0].ns, before);
        const double here = (curve[i].second + curve[i + 1].second + curve[i + 2].second) / 3;
        const bool high =
            curve[i].second > least && curve[i + 1].second > least && curve[i + 2].second > least;
        const bool alike = std::abs(curve[i].second - here) < 0.2 * (here - before) + 0.05 * here &&
                           std::abs(curve[i + 2].second - here) < 0.2 * (here - before) + 0.05 * here;
        if (!high || !alike) continue;
        TlbLevel tlb;
        tlb.level = static_cast<int>(levels.size()) + 1;
        tlb.extra_ns =
            Figure<double>::estimated(here, "lines in as many pages, less the same number of lines in few");
        // The last low point before that.
        std::size_t low = i;
        while (low > 0 && curve[low].second > before + 0.2 * (here - before)) --low;
        u64 fits = curve[low].first, misses = curve[i].first;
        const double rise = here - before;
        bool sharp = static_cast<double>(misses) < 2.5 * static_cast<double>(fits);
        while (sharp && misses - fits > 1) {
            const u64 middle = (fits + misses) / 2;
            std::vector<double> votes;
            for (int vote = 0; vote < 3; ++vote)
                if (const auto ns = cost(middle)) votes.push_back((*ns - before) / rise);
            if (votes.size() < 3) {
                sharp = false;
                break;
            }
            std::sort(votes.begin(), votes.end());
            (votes[1] < 0.1 ? fits : misses) = middle;
        }
        // Where it overflows, everything must miss a quarter further, each time: buffers with hashed sets
        // rise gradually, and noise only makes a walk longer.
        const auto least_cost = [&](u64 count) {
            std::optional<double> found;
            for (int vote = 0; vote < 3; ++vote) {
                const auto ns = cost(count);
                if (!ns) return ns;
                found = std::min(*ns, found.value_or(*ns));
            }
            return found;
        };
        const auto behind = sharp ? least_cost(fits + fits / 4 + 1) : std::nullopt;
        const auto within = sharp ? least_cost(fits - fits / 8) : std::nullopt;
        if (!behind || !within || (*behind - before) / rise < 0.6 || (*within - before) / rise > 0.2)
            tlb.entries = Figure<u64>::not_found("walks over more pages become slower by and by, from " +
                                                 std::to_string(curve[low].first) + " to " +
                                                 std::to_string(curve[i].first) + " pages");
        else if (caches_hold_lines_of(fits, before, rise))
            tlb.entries =
                Figure<u64>::estimated(fits, "the most pages that a walk can touch without paying for it");
        else
            tlb.entries =
                Figure<u64>::not_found("walks over more than " + std::to_string(fits) +
                                       " pages become slower, but they may also leave a cache there");
        levels.push_back(tlb);
        before = here;
        while (i + 1 < curve.size() && curve[i + 1].second < before * 1.2) ++i;
    }
    return levels;
}

}  // namespace memspy::machine
