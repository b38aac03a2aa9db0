// SPDX-License-Identifier: GPL-2.0-or-later
#include "machine/search.h"

#include <algorithm>
#include <utility>

#include "machine/search_state.h"

namespace memspy::machine {

MeasuredHierarchy Search::run() {
    MeasuredHierarchy result;
    measure_curve();
    find_steps();
    for (std::size_t index = 0; index + 1 < steps_.size(); ++index) {
        result.caches.push_back(find_cache(index));
        if (index > 0 || !result.caches[0].size) continue;
        first_size_ = *result.caches[0].size;
        first_way_ = first_size_ / *result.caches[0].ways;
        first_line_ = *result.caches[0].line;
        if (first_line_ == kUnit) continue;
        // Once more, without loads that hit the other half of a line, and with those of lines that were left
        // out.
        measure_curve();
        find_steps();
    }
    if (!steps_.empty()) result.tlbs = find_tlbs();
    result.curve = curve_;
    return result;
}

MeasuredHierarchy search(Walker& walker, u64 seed) { return Search(walker, seed).run(); }

// A level is told by its latency alone only right behind what is known: further steps may be parts of it,
// which walks over scattered pages leave by and by.
static void drop_doubtful_levels(MeasuredHierarchy& found) {
    std::size_t known = 0;
    while (known < found.caches.size() && (found.caches[known].size || found.caches[known].at_least)) ++known;
    const std::size_t kept = std::max<std::size_t>(known + 1, 3);
    if (found.caches.size() > kept) found.caches.resize(kept);
}

MeasuredHierarchy search_again(Walker& walker, const Deadline& deadline, u64 seed) {
    constexpr std::size_t kWhole = 2;
    constexpr u64 kMost = 8;
    Search first(walker, seed);
    MeasuredHierarchy result = first.run();
    const auto found = [&](std::size_t level) {
        const CacheLevel& cache = result.caches[level];
        return cache.size && cache.ways && cache.line;
    };
    const auto is_whole = [&] {
        for (std::size_t level = 0; level < kWhole && level < result.caches.size(); ++level)
            if (!found(level)) return false;
        return !result.caches.empty();
    };
    for (u64 again = 1; again < kMost && !is_whole() && !deadline.passed(); ++again) {
        Search next(walker, seed + again * 1000003, again % 2 == 1 ? kFewPagesAtOnce : kPagesAtOnce);
        MeasuredHierarchy other = next.run();
        if (result.caches.empty()) {
            result = std::move(other);
            first = std::move(next);
            continue;
        }
        for (std::size_t level = 0; level < std::min({kWhole, result.caches.size(), other.caches.size()});
             ++level) {
            CacheLevel& mine = result.caches[level];
            const CacheLevel& theirs = other.caches[level];
            const auto join = [](Figure<u64>& one, const Figure<u64>& two) {
                if (!one)
                    one = two ? two : one;
                else if (two && *two != *one)
                    one = Figure<u64>::not_found("one search found " + std::to_string(*one) + ", another " +
                                                 std::to_string(*two));
            };
            join(mine.size, theirs.size);
            join(mine.line, theirs.line);
            join(mine.ways, theirs.ways);
            mine.exclusive = mine.exclusive || theirs.exclusive;
        }
    }
    first.find_bounds(result);
    drop_doubtful_levels(result);
    return result;
}

}  // namespace memspy::machine
