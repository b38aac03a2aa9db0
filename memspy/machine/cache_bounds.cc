// SPDX-License-Identifier: GPL-2.0-or-later
//
// How large a cache is at least that is not taken apart.
#include "machine/search_state.h"

#include <algorithm>
#include <cmath>

namespace memspy::machine {

// Nanoseconds for a load of each line of so many pages in a row, a few pages at a time.
std::optional<double> Search::row_of_pages(u64 pages) {
    whole_pages_ = true;
    moved_ = 0;
    fillers_.clear();
    const auto time = round(first_pages(pages), 0.15);
    if (!time) return std::nullopt;
    return time->each();
}

// Between which sizes the last cache before memory is, from where walks stop to hit it and where they miss
// it. `before`: bytes of the levels before it, which may hold lines that this one does not.
//
// Where pages are scattered, little more than half of a walk as large as a cache misses; where a hash fills
// its sets unevenly, up to four fifths. So the cache is hardly larger than a walk of which more than kMisses
// misses, whatever the order of replacement; a quarter is added. But that needs a walk that misses
// altogether: with memory behind the level, the longest is one.
void Search::bound(CacheLevel& cache, const SizeStep& step, u64 before) {
    constexpr double kMisses = 0.9, kLeastRise = 1.5, kFlat = 1.4;
    constexpr u64 kPrecision = 6;
    u64 hits = step.first * 3 / 2 * kUnit / page_, misses = walker_->size() / page_;
    const auto low = row_of_pages(hits), high = row_of_pages(misses);
    if (!low || !high || misses <= hits || *high < kLeastRise * *low) return;
    // The staircase's last stretch must not climb on: another level may be behind this one.
    const u64 begins = steps_.back().first * 3 / 2 * kUnit / page_;
    if (begins < misses) {
        const auto top = row_of_pages(begins);
        if (!top || *high > kFlat * *top) return;
    }
    // The part of a walk's loads that miss; the least of two if many do, because disturbances only make it
    // longer.
    const auto part = [&](u64 pages) -> std::optional<double> {
        std::optional<double> least;
        for (int vote = 0; vote < 2; ++vote) {
            const auto time = row_of_pages(pages);
            if (!time) return std::nullopt;
            const double found = (*time - *low) / (*high - *low);
            least = std::min(found, least.value_or(found));
            if (*least < kMisses) break;
        }
        return least;
    };
    // What hits has been in the cache since the round before.
    u64 most_held = 0, walk_of_most = 0;
    const auto note = [&](u64 pages, double missing) {
        const u64 held =
            static_cast<u64>((1 - std::clamp(missing, 0.0, 1.0)) * static_cast<double>(pages * page_));
        if (held > most_held) most_held = held, walk_of_most = pages;
    };
    note(hits, 0);
    while (misses - hits > hits / kPrecision) {
        const u64 half = static_cast<u64>(std::sqrt(static_cast<double>(hits) * static_cast<double>(misses)));
        const auto found = part(half);
        if (!found) return;
        (*found < kMisses ? hits : misses) = half;
        note(half, *found);
    }
    for (const double share : {0.85, 0.7, 0.55}) {
        const u64 pages = static_cast<u64>(share * static_cast<double>(misses));
        const auto found = part(pages);
        if (!found) return;
        note(pages, *found);
    }
    const auto kib = [](u64 bytes) { return std::to_string(bytes / 1024) + " KiB"; };
    const u64 held = most_held / 10 * 9;
    if (held <= before) return;
    const std::string how =
        kib(most_held) + " of walks over " + kib(walk_of_most * page_) +
        " hit, some of it maybe in the levels before; more may be there, which others use";
    cache.at_least = Figure<u64>::estimated(held - before, how);
}

void Search::find_bounds(MeasuredHierarchy& found) {
    // Only behind two levels that are known: else it is not sure which level this is.
    if (found.caches.size() < 3 || steps_.size() != found.caches.size() + 1) return;
    u64 before = 0;
    for (std::size_t index = 0; index + 1 < found.caches.size(); ++index) {
        if (!found.caches[index].size) return;
        before += *found.caches[index].size;
    }
    // Walks over scattered pages leave a cache by and by, which may look like a level: then memory begins
    // soon.
    if (!found.caches.back().size && steps_.back().first * kUnit >= 4 * before)
        bound(found.caches.back(), steps_[found.caches.size() - 1], before);
    if (!found.caches.back().size && !found.caches.back().at_least)
        found.caches.back().size.how += "; nor could it be bounded: walks did not agree, or no time was left";
}

}  // namespace memspy::machine
