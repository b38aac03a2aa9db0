// SPDX-License-Identifier: GPL-2.0-or-later
//
// Classes of pages that compete, and pages that empty the first cache.
#include "machine/search_state.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace memspy::machine {

// Sorts some pages by the sets of the first cache that they compete for.
bool Search::sort_pages(const Pages& conflict, u64 classes) {
    const u64 ways = conflict.size() - 1;
    Pages known = conflict, rest = some_pages(classes * (4 * ways + 12));
    for (;;) {
        Pages pages = known, others;
        for (const u64 page : rest) {
            if (contains(known, page)) continue;
            Pages with = known;
            with.back() = page;
            (one_misses(with).value_or(false) ? pages : others).push_back(page);
        }
        if (pages.size() < ways + 2) return false;
        first_classes_.push_back(std::move(pages));
        if (first_classes_.size() == classes) return true;
        const auto next = reduce(others);
        if (!next || next->size() != conflict.size()) return false;
        known = *next;
        rest = std::move(others);
    }
}

// Pages whose lines leave nothing else in the first cache; `times` as many as it holds.
Pages Search::choose_fillers(u64 times) {
    if (first_classes_.empty()) return some_pages(times * first_size_ / page_ + 1);
    Pages fillers;
    for (Pages& pages : first_classes_) {
        std::shuffle(pages.begin(), pages.end(), random_);
        const u64 count = std::min<u64>(times * first_size_ / first_way_ + 1, pages.size());
        fillers.insert(fillers.end(), pages.begin(), pages.begin() + static_cast<long>(count));
    }
    return fillers;
}

// Walks over consecutive lines also climb where translations are missing. Whether whole pages, some at a
// time, take as long where the next step begins as on this one: then there is no cache between them.
bool Search::one_cache_only(std::size_t index) {
    const auto time = round(first_pages(steps_[index + 1].first * kUnit / page_), 0.05);
    return time && time->each() < 1.25 * fitting_ns_;
}

namespace {

// So many of the walks that hit a set are not seen to do so: see mostly_above().
constexpr double kUnseen = 0.03;

// The number of sets, a power of two, of which one of `each` lines hits a given one in `hits` of `tried`
// walks. Nothing if it could be another power of two, or three quarters of one.
std::optional<u64> number_of_sets(u64 tried, u64 hits, u64 each) {
    std::optional<u64> found;
    const double n = static_cast<double>(tried);
    for (u64 power = 1; power <= (u64{1} << 20); power *= 2) {
        for (const u64 candidate : {power, power / 4 * 3}) {
            if (candidate == 0) continue;
            const double share =
                1 - std::pow(1 - 1.0 / static_cast<double>(candidate), static_cast<double>(each));
            const double sigma = std::sqrt(n * share * (1 - share));
            const double more = static_cast<double>(hits) - n * share;
            const double off = std::max(more, -more - kUnseen * n * share) / std::max(sigma, 0.5);
            if (off < 2.2 && candidate == power && !found)
                found = candidate;
            else if (off < 2.8)
                return std::nullopt;
        }
    }
    return found;
}

}  // namespace

// The chance that of so many random pages more than `ways` are of one class.
double chance_of_overflow(double pages, u64 classes, u64 ways) {
    const double each = pages / static_cast<double>(classes);
    double same = std::exp(-each), fits = 0;  // exactly so many of one class; no more
    for (u64 k = 1; k <= ways + 1; ++k) {
        fits += same;
        same *= each / static_cast<double>(k);
    }
    return 1 - std::pow(fits, static_cast<double>(classes));
}

// Random pages are walked together with the largest number of a class that fits: how often does one of them
// belong to the class?
Figure<u64> Search::count_classes(const Pages& conflict) {
    const Pages fitting(conflict.begin(), conflict.end() - 1);
    const std::string unsteady = "loads took no two times the same";
    // Not all of a class misses where the order of replacement is not that of use.
    std::vector<double> full;
    for (int i = 0; i < 7; ++i)
        if (const auto missed = misses(conflict)) full.push_back(*missed);
    if (full.size() < 3) return Figure<u64>::not_found(unsteady);
    std::sort(full.begin(), full.end());
    const double limit = 0.5 * full[full.size() / 2];
    // Several at a time only where there are many classes: others would be of one class among themselves.
    for (const u64 each : {1, 4}) {
        u64 tried = 0, hits = 0, unknown = 0;
        while (hits < kMostHits && tried < kTries) {
            if (each == 1 && tried == 200 && hits < 8) break;
            Pages pages = fitting;
            while (pages.size() < fitting.size() + each) {
                const u64 page = random_() % pages_;
                if (!contains(conflict, page) && !contains(fillers_, page) && !contains(pages, page))
                    pages.push_back(page);
            }
            const auto hit = mostly_above(limit, [&] {
                std::shuffle(pages.begin(), pages.end(), random_);
                return excess_misses(pages, fitting);
            });
            if (!hit) {
                if (++unknown > 40 + tried / 4) return Figure<u64>::not_found(unsteady);
                continue;
            }
            ++tried;
            if (*hit) ++hits;
            if (hits < kHits || tried % 16 != 0) continue;
            if (const auto classes = number_of_sets(tried, hits, each))
                return Figure<u64>::measured(*classes, std::to_string(hits) + " of " + std::to_string(tried) +
                                                           " walks with " + std::to_string(each) +
                                                           " other pages met one class of " +
                                                           std::to_string(*classes));
        }
        if (hits >= kHits)
            return Figure<u64>::not_found(std::to_string(hits) + " of " + std::to_string(tried) +
                                          " walks with " + std::to_string(each) +
                                          " other pages met one class, which fits no one number");
    }
    return Figure<u64>::not_found("too few pages share their sets");
}

// Chooses pages that fill the first cache so many times, and measures what a load takes that misses only
// there.
void Search::fill_first_cache(u64 times, double most) {
    filled_ = times;
    fillers_.clear();
    fitting_ns_ = most;
    for (int selection = 0; selection < 4; ++selection)
        if (const auto time = round(choose_fillers(times))) fitting_ns_ = std::min(fitting_ns_, time->each());
    fillers_ = choose_fillers(times);
}

}  // namespace memspy::machine
