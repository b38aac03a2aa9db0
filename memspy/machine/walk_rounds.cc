// SPDX-License-Identifier: GPL-2.0-or-later
//
// Walks over lines or pages that may compete, and how much of them misses.
#include "machine/search_state.h"

#include <algorithm>
#include <cmath>

namespace memspy::machine {

// What a round loads. For the first cache, one line in each page, at one offset.
//
// For further ones, all lines of each page. How an address selects a set of these is not known, but in all
// ways in use the pages fall into classes: pages of one class compete for the same sets, one line of each
// page for each set, whichever. So ways + 1 pages of one class overflow all of their sets, and a page that
// misses costs as much as all of its lines. Some more pages (`fillers_`) evict the lines of the others from
// the first cache, which would otherwise hide the second cache's content. Some pages are walked at a time, so
// that few loads wait for a translation.
//
// With `parted_`, the fillers come again after each few pages, by another word of each line. A cache that
// holds what the first one evicts then behaves as any other: each page is there before it is loaded again, or
// has been replaced.
//
// With `moved_`, every second page's lines are moved by so much; of longer lines only every second is loaded.
std::vector<Search::Visit> Search::visits_of(const Pages& pages) const {
    const std::size_t words = unit() / sizeof(u64);
    const std::size_t group = parted_ ? (pages.size() + words - 1) / words : pages.size();
    std::vector<Visit> visits;
    for (std::size_t at = 0, again = 0; at < pages.size(); at += group, ++again) {
        const std::size_t end = std::min(pages.size(), at + group);
        for (std::size_t i = at; i < end; ++i)
            visits.push_back({pages[i], 0, i % 2 == 1, (i - at) % at_once_ == 0});
        for (std::size_t i = 0; i < fillers_.size(); ++i)
            visits.push_back({fillers_[i], again, std::nullopt, i % at_once_ == 0});
    }
    return visits;
}

std::optional<Search::Round> Search::round_of(const std::vector<Visit>& visits, double agree,
                                              std::optional<u64> beside) {
    Offsets offsets;
    std::size_t part = 0;  // where the pages begin that are walked at a time
    const auto end_part = [&] {
        std::shuffle(offsets.begin() + static_cast<long>(part), offsets.end(), random_);
        part = offsets.size();
    };
    for (const Visit& visit : visits) {
        if (visit.first_of_part) end_part();
        const u64 word = visit.word * sizeof(u64), moved = visit.odd.value_or(false) ? moved_ : 0;
        const u64 begin = visit.page * page_ + word;
        if (!whole_pages_) {
            offsets.push_back(begin + moved);
            continue;
        }
        for (u64 at = 0; at < walked_; at += unit()) {
            if (visit.odd && moved_ >= unit() && at / moved_ % 2 != (*visit.odd ? 1 : 0)) continue;
            offsets.push_back(begin + at + (moved_ < unit() ? moved : 0));
        }
    }
    end_part();
    const auto time = time_of(offsets, PageKind::Large, agree, beside);
    if (!time) return std::nullopt;
    const double loads = static_cast<double>(offsets.size());
    return Round{*time * loads, loads};
}

// How many lines of a page that is not a filler are walked.
double Search::lines_each() const {
    if (!whole_pages_) return 1;
    return static_cast<double>(walked_ / unit()) / (moved_ >= unit() ? 2 : 1);
}

std::optional<Search::Round> Search::round(const Pages& pages, double agree) {
    return round_of(visits_of(pages), agree);
}

// The number of pages of such a round that miss. What their translations cost is told by lines of the same
// pages at different offsets.
std::optional<double> Search::misses(const Pages& pages, double agree) {
    const auto time = round(pages, agree);
    if (!time) return std::nullopt;
    const double fitting = time->loads * fitting_ns_;
    const double found = (time->ns - fitting) / lines_each() / miss_ns_;
    if (whole_pages_ || found < kMissing) return found;
    const auto translated = spread(pages, PageKind::Large);
    if (!translated) return std::nullopt;
    return (time->ns - std::max(fitting, *translated * static_cast<double>(pages.size()))) / miss_ns_;
}

// At least two lines must miss, both times, so that noise does not count as a miss.
bool Search::overflows(const Pages& pages) {
    const double count = static_cast<double>(pages.size());
    const double least = whole_pages_ ? std::max(1.5, 0.03 * count) : count < 6 ? 0.8 : 1.5;
    for (int vote = 0; vote < 2; ++vote)
        if (misses(pages).value_or(0) < least) return false;
    return true;
}

// The least of three: noise only makes a round longer.
std::optional<double> Search::least_misses(const Pages& pages) {
    std::optional<double> least;
    for (int vote = 0; vote < 3; ++vote) {
        const auto found = misses(pages, 0.05);
        if (!found) return std::nullopt;
        if (!least || *found < *least) least = found;
    }
    return least;
}

// Whether most measurements are above the limit: as many as it takes until one side leads by two. Noise makes
// a round longer, and where the order of replacement is not that of use, now and then a round fits that has a
// line too many: one of twenty on a Xeon of 2024. So neither side has a veto.
std::optional<bool> Search::mostly_above(double limit,
                                         const std::function<std::optional<double>()>& measure) {
    constexpr int kLead = 2, kMost = 15;
    for (int vote = 0, lead = 0; vote < kMost; ++vote) {
        const auto found = measure();
        if (!found) continue;
        lead += *found > limit ? 1 : -1;
        if (std::abs(lead) == kLead) return lead > 0;
    }
    return std::nullopt;
}

// Whether a round over a few lines of one set misses by much. Every second page's line is moved. The order of
// pages is another one each time: what the set held before may decide what a round of the same order misses.
std::optional<bool> Search::one_misses(const Pages& pages, u64 moved) {
    Pages at = pages;
    moved_ = moved;
    const auto found = mostly_above(missing() * static_cast<double>(pages.size()), [&] {
        std::shuffle(at.begin(), at.end(), random_);
        return misses(at, 0.05);
    });
    moved_ = 0;
    return found;
}

// The number of pages that miss because those of `fitting` are among them. Fillers may fill another class by
// chance, which one page more overflows just as well; but that misses without `fitting`, too.
std::optional<double> Search::excess_misses(const Pages& pages, const Pages& fitting) {
    const auto all = misses(pages);
    if (!all || !whole_pages_ || *all < kMissingOfPages * static_cast<double>(pages.size())) return all;
    Pages others;
    for (const u64 page : pages)
        if (!contains(fitting, page)) others.push_back(page);
    const auto without = misses(others);
    if (!without) return std::nullopt;
    return *all - std::max(*without, 0.0);
}

}  // namespace memspy::machine
