// SPDX-License-Identifier: GPL-2.0-or-later
//
// A search for caches and translation buffers: what its parts (staircase.cc, walk_rounds.cc, page_sets.cc,
// page_classes.cc, cache_levels.cc, cache_bounds.cc, tlb_search.cc) know of each other. search.h says how it
// goes.
#pragma once

#include <algorithm>
#include <functional>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "machine/hierarchy.h"
#include "machine/walk.h"

namespace memspy::machine {

using Offsets = std::vector<u64>;
using Pages = std::vector<u64>;  // numbers of pages

// The distance in bytes of consecutive lines of a walk.
inline constexpr u64 kUnit = 64;
inline constexpr u64 kShortestLine = 16;
inline constexpr u64 kLongestLine = 512;
// Longer walks take too long on a machine with other load.
inline constexpr u64 kMostLines = u64{1} << 17;
inline constexpr u64 kMostPages = 16384;
inline constexpr u64 kMostPagesToReduce = 3000;
inline constexpr u64 kMostWays = 64;
inline constexpr u64 kMostWholePages = 200;
// Pages that are walked at a time. Prefetchers recognise walks over few pages: four of them at once take a
// quarter less time on an EPYC 9005 than eight. But eight pages of one class may be too many for a set of the
// TLB, and then each load waits for a translation, so every second search walks four, unless they are faster.
inline constexpr u64 kPagesAtOnce = 8, kFewPagesAtOnce = 4;
inline constexpr double kPrefetched = 0.95;
// So much of a set misses that does not fit, even where the order of replacement is not that of use.
inline constexpr double kMissing = 0.3, kMissingOfPages = 0.07;
// Two pages, and noise. An EPYC's second cache, whose order of replacement is not that of use, misses three
// or four of 17.
inline constexpr double kMostOfEvicted = 2.75;
// So likely must be what a figure needs to be true.
inline constexpr double kLeastChance = 0.01;
// A step of the staircase is at least this much higher than the one before.
inline constexpr double kStep = 1.7;
// A set's share is computed after at least kHits walks have met the set; kMostHits are enough.
inline constexpr u64 kHits = 150, kMostHits = 600, kTries = 6000;

inline bool contains(const Pages& pages, u64 page) { return std::ranges::find(pages, page) != pages.end(); }

class Search {
public:
    Search(Walker& walker, u64 seed, u64 at_once = kPagesAtOnce)
        : walker_(&walker),
          page_(walker.page()),
          pages_(std::min(walker.size() / page_, kMostPages)),
          random_(seed),
          at_once_(at_once),
          walked_(page_) {}

    MeasuredHierarchy run();
    // Of the last of the caches that run() found, if all sizes are known but this one's.
    void find_bounds(MeasuredHierarchy& found);

private:
    // A step of the staircase: walks over consecutive lines that one cache holds.
    struct SizeStep {
        double ns = 0;                      // of its shortest walk
        double middle_ns = 0, most_ns = 0;  // of all
        u64 first = 0, last = 0;            // lines
    };

    struct Visit {
        u64 page = 0;
        u64 word = 0;                // of each line
        std::optional<bool> odd;     // one of every two pages that are moved; no value: never moved
        bool first_of_part = false;  // of pages whose lines are loaded in random order
    };
    struct Round {
        double ns = 0, loads = 0;
        double each() const { return ns / loads; }
    };

    // The walker's ns(), in up to three tries.
    std::optional<double> time_of(const Offsets& offsets, PageKind memory, double agree,
                                  std::optional<u64> beside = std::nullopt);
    std::optional<double> spread(const Pages& pages, PageKind memory, u64 each = 1);
    std::optional<double> dense(u64 count, u64 distance);
    std::optional<double> consecutive(u64 units);
    // Each line of a page must be walked: a hash of the address may put every second one into other sets.
    u64 unit() const { return first_line_ != 0 ? first_line_ : kUnit; }
    Pages first_pages(u64 count) const;
    Pages some_pages(u64 count);

    void measure_curve();
    void find_steps();
    CacheLevel find_cache(std::size_t index);
    void fill_first_cache(u64 times, double most);
    std::optional<Pages> set_of_pages(std::string& why, double most);
    bool keeps_copies(const Pages& conflict);
    std::optional<Round> round(const Pages& pages, double agree = 0.01);
    std::vector<Visit> visits_of(const Pages& pages) const;
    std::optional<Round> round_of(const std::vector<Visit>& visits, double agree,
                                  std::optional<u64> beside = std::nullopt);
    double lines_each() const;
    double missing() const { return whole_pages_ ? kMissingOfPages : kMissing; }
    std::optional<double> misses(const Pages& pages, double agree = 0.01);
    bool overflows(const Pages& pages);
    bool holds_evicted(const Pages& pages);
    Pages first_overflow(bool in_a_row, const Pages& among);
    void shrink(Pages& pages);
    std::optional<Pages> reduce(const Pages& among = {});
    bool sort_pages(const Pages& conflict, u64 classes);
    Pages choose_fillers(u64 times = 1);
    std::optional<double> least_misses(const Pages& pages);
    Pages rivals_of(u64 page, const Pages& conflict);
    bool replace_fillers(Pages& conflict);
    bool overflows_alone(const Pages& conflict);
    bool fits_without_one(const Pages& conflict);
    bool one_cache_only(std::size_t index);
    std::optional<bool> mostly_above(double limit, const std::function<std::optional<double>()>& measure);
    std::optional<bool> one_misses(const Pages& pages, u64 moved = 0);
    std::optional<double> excess_misses(const Pages& pages, const Pages& fitting);
    Figure<u64> count_classes(const Pages& conflict);
    Figure<double> latency_of(const SizeStep& step) const;
    std::optional<double> row_of_pages(u64 pages);
    void bound(CacheLevel& cache, const SizeStep& step, u64 before);
    bool caches_hold_lines_of(u64 fits, double before, double rise);
    std::vector<TlbLevel> find_tlbs();

    Walker* walker_;
    u64 page_, pages_;
    std::mt19937_64 random_;
    u64 at_once_;  // pages
    std::vector<CurvePoint> curve_;
    std::vector<SizeStep> steps_;
    u64 first_size_ = 0, first_way_ = 0, first_line_ = 0;  // of the first cache; 0: not known
    // Pages that compete for the same sets of the first cache, if not all pages do.
    std::vector<Pages> first_classes_;
    // Of a walk's rounds: see round().
    bool whole_pages_ = false;
    Pages fillers_;
    u64 filled_ = 1;  // how many times they fill the first cache
    bool parted_ = false;
    bool exclusive_ = false;  // see holds_evicted()
    u64 moved_ = 0;
    u64 walked_ = 0;  // of each page, bytes
    double fitting_ns_ = 0, miss_ns_ = 0;
};

// That more than `ways` of so many pages are of one of the classes.
double chance_of_overflow(double pages, u64 classes, u64 ways);

}  // namespace memspy::machine
