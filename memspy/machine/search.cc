// SPDX-License-Identifier: GPL-2.0-or-later
#include "machine/search.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>
#include <utility>

namespace memspy::machine {
namespace {

using Offsets = std::vector<u64>;
using Pages = std::vector<u64>;  // numbers of pages

// The distance in bytes of consecutive lines of a walk.
constexpr u64 kUnit = 64;
constexpr u64 kShortestLine = 16;
constexpr u64 kLongestLine = 512;
// Longer walks take too long on a machine with other load.
constexpr u64 kMostLines = u64{1} << 17;
constexpr u64 kMostPages = 16384;
constexpr u64 kMostPagesToReduce = 3000;
constexpr u64 kMostWays = 64;
constexpr u64 kMostWholePages = 200;
// Pages that are walked at a time. Prefetchers recognise walks over few pages: four of them at once take a quarter less time
// on an EPYC 9005 than eight. But eight pages of one class may be too many for a set of the TLB, and then each load waits
// for a translation, so every second search walks four, unless they are faster.
constexpr u64 kPagesAtOnce = 8, kFewPagesAtOnce = 4;
constexpr double kPrefetched = 0.95;
// So much of a set misses that does not fit, even where the order of replacement is not that of use.
constexpr double kMissing = 0.3, kMissingOfPages = 0.07;
// Two pages, and noise. An EPYC's second cache, whose order of replacement is not that of use, misses three or four of 17.
constexpr double kMostOfEvicted = 2.75;
// So likely must be what a figure needs to be true.
constexpr double kLeastChance = 0.01;
// A step of the staircase is at least this much higher than the one before.
constexpr double kStep = 1.7;
// A set's share is computed after at least kHits walks have met the set; kMostHits are enough.
constexpr u64 kHits = 150, kMostHits = 600, kTries = 6000;

bool contains(const Pages& pages, u64 page) { return std::ranges::find(pages, page) != pages.end(); }

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

// One line in each page, or `each`, one after the other; at all possible offsets, so that lines compete for no set before a
// cache is full. The second term rotates the offsets with each turn, because the page's number selects a set, too.
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

// One load for each line of so many consecutive units. Walks over more lines are slow, so some are left out then: a step
// is still seen, but a cache that hashes addresses holds longer walks of fewer lines (see bound()).
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

// What a round loads. For the first cache, one line in each page, at one offset.
//
// For further ones, all lines of each page. How an address selects a set of these is not known, but in all ways in use
// the pages fall into classes: pages of one class compete for the same sets, one line of each page for each set,
// whichever. So ways + 1 pages of one class overflow all of their sets, and a page that misses costs as much as all of
// its lines. Some more pages (`fillers_`) evict the lines of the others from the first cache, which would otherwise hide
// the second cache's content. Some pages are walked at a time, so that few loads wait for a translation.
//
// With `parted_`, the fillers come again after each few pages, by another word of each line. A cache that holds what the
// first one evicts then behaves as any other: each page is there before it is loaded again, or has been replaced.
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

// How many lines of a page that is not a filler are walked.
double Search::lines_each() const {
    if (!whole_pages_) return 1;
    return static_cast<double>(walked_ / unit()) / (moved_ >= unit() ? 2 : 1);
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

std::optional<Search::Round> Search::round(const Pages& pages, double agree) {
    return round_of(visits_of(pages), agree);
}

// The number of pages of such a round that miss. What their translations cost is told by lines of the same pages at
// different offsets.
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

// More and more pages, until a tenth of them overflow; empty if they never do. `among`: of these only, if there are any.
Pages Search::first_overflow(bool in_a_row, const Pages& among) {
    const u64 start = random_() % (pages_ / 2);
    const u64 most = among.empty() ? std::min(pages_ / 2, kMostPagesToReduce) : among.size();
    for (u64 count = whole_pages_ ? 8 : 2; count <= most;) {
        Pages pages;
        if (!among.empty()) {
            pages.assign(among.begin(), among.begin() + static_cast<long>(count));
        } else if (in_a_row) {
            pages = first_pages(count);
            for (u64& page : pages) page += start;
        } else {
            pages = some_pages(count);
        }
        std::erase_if(pages, [&](u64 page) { return std::ranges::find(fillers_, page) != fillers_.end(); });
        if (misses(pages).value_or(0) > std::max(whole_pages_ ? 3.0 : 0.8, 0.1 * static_cast<double>(count)))
            return pages;
        count += std::max<u64>(1, count / 4);
    }
    return {};
}

// Pages are removed in ever smaller groups, as long as the rest overflows.
void Search::shrink(Pages& pages) {
    for (std::size_t group = std::max<std::size_t>(pages.size() / 3, 1);;) {
        bool smaller = false;
        for (std::size_t at = 0; at < pages.size();) {
            const std::size_t end = std::min(pages.size(), at + group);
            Pages rest(pages.begin(), pages.begin() + static_cast<long>(at));
            rest.insert(rest.end(), pages.begin() + static_cast<long>(end), pages.end());
            if (rest.size() >= 2 && overflows(rest)) {
                pages = rest;
                smaller = true;
            } else {
                at = end;
            }
        }
        if (group == 1 && !smaller) break;
        if (!smaller) group = std::max<std::size_t>(group / 2, 1);
        group = std::max<std::size_t>(std::min(group, pages.size() / 3), 1);
    }
}

// Of pages that overflow, ways + 1 of one set remain.
std::optional<Pages> Search::reduce(const Pages& among) {
    for (int attempt = 0; attempt < 6; ++attempt) {
        parted_ = false;
        // Some first caches predict the way from a hash of the address, which may be equal for two distant
        // pages, but not for neighbours.
        Pages pages = first_overflow(!whole_pages_ || attempt % 2 == 0, among);
        if (pages.empty()) continue;
        std::shuffle(pages.begin(), pages.end(), random_);
        shrink(pages);
        if (exclusive_ && pages.size() <= kMostWholePages) {
            // These may be two classes, of which one page each misses.
            parted_ = true;
            shrink(pages);
        }
        if (pages.size() > kMostWays + 1 || pages.empty()) continue;
        bool right = !whole_pages_ || replace_fillers(pages);
        if (pages.size() < 2) continue;
        // The pages overflow by much, and fit without any one of them, twice.
        for (int again = 0; again < 2 && right; ++again) {
            right = one_misses(pages).value_or(false);
            for (std::size_t i = 0; i < pages.size() && right; ++i) {
                Pages rest = pages;
                rest.erase(rest.begin() + static_cast<long>(i));
                right = !one_misses(rest).value_or(true);
            }
        }
        if (right) return pages;
        if (!whole_pages_ || exclusive_ || fillers_.empty()) continue;
        exclusive_ = holds_evicted(pages);
        if (exclusive_) break;
    }
    return std::nullopt;
}

// Whether the cache holds only what the first one evicted. Then the pages of a class that the first cache still has take
// no room here: where k pages too many are loaded one behind the other, k miss, and k more each time that fillers part
// them. In other caches it makes no difference what is loaded between them.
bool Search::holds_evicted(const Pages& pages) {
    if (pages.size() < 4) return false;
    const Pages before = fillers_;
    fillers_ = choose_fillers(filled_);
    std::erase_if(fillers_, [&](u64 page) { return contains(before, page) || contains(pages, page); });
    bool is = 4 * fillers_.size() >= 3 * before.size();
    for (int vote = 0; vote < 3 && is; ++vote) {
        const auto together = misses(pages);
        parted_ = true;
        const auto parted = misses(pages);
        parted_ = false;
        is = parted && together && *together < 0.5 * static_cast<double>(pages.size()) &&
             *parted > 1.4 * std::max(*together, 1.0) + 0.3;
    }
    fillers_ = before;
    return is;
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

// The pages that compete with the page in the first cache, as far as they are known; else some, enough for a choice.
Pages Search::rivals_of(u64 page, const Pages& conflict) {
    for (const Pages& pages : first_classes_)
        if (contains(pages, page)) return pages;
    return some_pages(4 * (conflict.size() + fillers_.size()));
}

// Fillers that belong to the conflict's class become part of it, and others take their place in the first cache: its
// other pages stay there if one is merely left out, and that looks as if all fitted. Another filler may be of the
// class by chance, so three are tried.
bool Search::replace_fillers(Pages& conflict) {
    constexpr int kOthers = 3;
    for (u64& place : fillers_) {
        const u64 filler = place;
        const auto full = least_misses(conflict);
        if (!full) return false;
        Pages candidates = rivals_of(filler, conflict);
        int tried = 0;
        bool of_the_set = false;
        for (const u64 page : candidates) {
            if (tried == kOthers || of_the_set) break;
            if (contains(conflict, page) || contains(fillers_, page) || page == filler) continue;
            place = page;
            const auto found = least_misses(conflict);
            if (!found) return false;
            of_the_set = *found < 0.5 * *full;
            ++tried;
        }
        if (tried == 0) return false;
        if (of_the_set)
            conflict.push_back(filler);
        else
            place = filler;
    }
    return true;
}

// Whether the conflict misses without the help of a filler. All fillers are replaced by pages that are not of its class:
// such a page fits in the place of one of the conflict's own. If a filler was of the class after all, the conflict has too
// few pages, and fits then.
bool Search::overflows_alone(const Pages& conflict) {
    constexpr int kMostTried = 16;
    Pages others, with = conflict;
    for (const u64 filler : fillers_) {
        Pages candidates = rivals_of(filler, conflict);
        std::shuffle(candidates.begin(), candidates.end(), random_);
        int tried = 0;
        bool replaced = false;
        for (const u64 page : candidates) {
            if (tried == kMostTried || replaced) break;
            if (contains(conflict, page) || contains(fillers_, page) || contains(others, page)) continue;
            ++tried;
            with.back() = page;
            replaced = !one_misses(with).value_or(true);
            if (replaced) others.push_back(page);
        }
        if (!replaced) return false;
    }
    std::swap(fillers_, others);
    const bool alone = one_misses(conflict).value_or(false);
    std::swap(fillers_, others);
    return alone;
}

// Whether a parted round without one of the conflict's pages misses no more than with a page of another class in the place of
// one more. Fillers that the first cache still has when they come again shorten such a round, and so hide a page too many.
bool Search::fits_without_one(const Pages& conflict) {
    constexpr int kOthers = 3;
    constexpr double kFewer = 1.5;  // pages
    Pages rest(conflict.begin(), conflict.end() - 1);
    const auto all = least_misses(rest);
    if (!all) return false;
    int tried = 0;
    for (const u64 page : rivals_of(rest.back(), conflict)) {
        if (tried == kOthers) break;
        if (contains(conflict, page) || contains(fillers_, page)) continue;
        ++tried;
        rest.back() = page;
        const auto found = least_misses(rest);
        if (!found || *found < *all - kFewer) return false;
    }
    return true;
}

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

// Walks over consecutive lines also climb where translations are missing. Whether whole pages, some at a time, take as
// long where the next step begins as on this one: then there is no cache between them.
bool Search::one_cache_only(std::size_t index) {
    const auto time = round(first_pages(steps_[index + 1].first * kUnit / page_), 0.05);
    return time && time->each() < 1.25 * fitting_ns_;
}

// Whether a round over a few lines of one set misses by much. Tried three times, because noise only makes it
// longer. Every second page's line is moved.
std::optional<bool> Search::one_misses(const Pages& pages, u64 moved) {
    Pages at = pages;
    for (int vote = 0; vote < 3; ++vote) {
        moved_ = moved;
        const auto found = misses(at, 0.05);
        moved_ = 0;
        if (!found) return std::nullopt;
        if (*found <= missing() * static_cast<double>(pages.size())) return false;
    }
    return true;
}

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
            const double off = std::abs(static_cast<double>(hits) - n * share) / std::max(sigma, 0.5);
            if (off < 2.2 && candidate == power && !found)
                found = candidate;
            else if (off < 2.8)
                return std::nullopt;
        }
    }
    return found;
}

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

// The number of pages that miss because those of `fitting` are among them. Fillers may fill another class by chance, which
// one page more overflows just as well; but that misses without `fitting`, too.
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

// Random pages are walked together with the largest number of a class that fits: how often does one of them belong to
// the class?
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
            const auto first = excess_misses(pages, fitting);
            const auto second = first && *first > limit ? excess_misses(pages, fitting) : first;
            if (!first || !second) {
                if (++unknown > 40 + tried / 4) return Figure<u64>::not_found(unsteady);
                continue;
            }
            ++tried;
            if (*first > limit && *second > limit) ++hits;
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

// Chooses pages that fill the first cache so many times, and measures what a load takes that misses only there.
void Search::fill_first_cache(u64 times, double most) {
    filled_ = times;
    fillers_.clear();
    fitting_ns_ = most;
    for (int selection = 0; selection < 4; ++selection)
        if (const auto time = round(choose_fillers(times))) fitting_ns_ = std::min(fitting_ns_, time->each());
    fillers_ = choose_fillers(times);
}

// The pages of one class that overflow the second cache by one. `why`: if they are not found.
std::optional<Pages> Search::set_of_pages(std::string& why, double most) {
    // Where the order of replacement is not that of use, twice as many fillers leave nothing else in the first cache.
    for (const u64 times : {u64{1}, u64{2}}) {
        fill_first_cache(times, most);
        auto conflict = reduce();
        if (exclusive_ || (conflict && holds_evicted(*conflict))) {
            exclusive_ = true;
            conflict = reduce();
        }
        if (!conflict) continue;
        // One page too many makes one or two miss where this level holds what the one before evicts.
        const auto missed = least_misses(*conflict);
        if (!missed ||
            (*missed < kMissing * static_cast<double>(conflict->size()) && *missed < kMostOfEvicted))
            why =
                "only one or two of the pages that overflow a set miss: it may hold what the level before "
                "evicts";
        else if (!overflows_alone(*conflict))
            why = "pages that empty the first level may be of the set that they are to show";
        else if (exclusive_ && !fits_without_one(*conflict))
            why = "how many pages of a set fit depends on what parts them";
        else
            return conflict;
    }
    if (exclusive_) return std::nullopt;
    // Where all pages that compete in the first cache compete in this one, too, none can empty it without being of the set.
    // There the set's own pages do.
    fill_first_cache(2, most);
    fillers_.clear();
    filled_ = 0;
    const auto conflict = reduce();
    if (!conflict) return std::nullopt;
    if (keeps_copies(*conflict)) return conflict;
    why = "its sets are not more than the first level's, so the ways of both cannot be told apart";
    return std::nullopt;
}

// Whether the cache keeps a copy of what the first one has, and the first one keeps nothing of a walk over the class. A
// page that the first cache always has, because it is loaded again beside each load, is soon no longer in this one, and
// all others fit. If the first cache's content took no room here, or were always here, too, it would be one too many.
bool Search::keeps_copies(const Pages& conflict) {
    constexpr double kHalf = 0.5;
    // What such a load may take in the first cache, in terms of the time of a load that depends on the one before.
    constexpr double kMostBeside = 2.5;
    // One line of each page in a set of the first cache, or more if all would stay there.
    for (walked_ = std::min(page_, first_way_); walked_ < page_; walked_ *= 2)
        if ((conflict.size() - 1) * walked_ >= 2 * first_size_) break;
    const double first_ns = steps_[0].ns, gain = (fitting_ns_ - first_ns) / miss_ns_;
    // The least of three: noise only makes a round longer.
    const auto load_beside = [&](u64 hot, const Pages& cold) {
        std::optional<double> least;
        for (int vote = 0; vote < 3; ++vote)
            if (const auto time = round_of(visits_of(cold), 0.02, hot))
                least = std::min(time->each(), least.value_or(time->each()));
        return least;
    };
    // Against half as many, of which too few lines come between two loads of one to stay in the first cache.
    const auto fits_beside = [&](std::size_t hot) {
        Pages cold = conflict;
        cold.erase(cold.begin() + static_cast<long>(hot));
        const auto all = load_beside(conflict[hot], cold);
        const double pages = static_cast<double>(cold.size());
        cold.resize(cold.size() / 2 + 1);
        const auto half = load_beside(conflict[hot], cold);
        return all && half && *half < fitting_ns_ + kMostBeside * first_ns &&
               (*all - *half) * pages / miss_ns_ < kHalf;
    };
    const auto all = least_misses(Pages(conflict.begin(), conflict.end() - 1));
    const bool kept = all && std::abs(*all)<kHalf&& * all> - kHalf * gain && fits_beside(0) &&
                      fits_beside(conflict.size() - 1);
    walked_ = page_;
    return kept;
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

CacheLevel Search::find_cache(std::size_t index) {
    SizeStep below = steps_[index];
    CacheLevel cache;
    cache.level = static_cast<int>(index) + 1;
    cache.latency_ns = latency_of(below);
    // Related figures are reported only together: a wrong set has ways and lines, too.
    const auto lost = [&](const std::string& why) {
        cache.ways = cache.line = Figure<u64>::not_found(why);
        if (!cache.size) cache.size = Figure<u64>::not_found(why);
        return cache;
    };
    SizeStep above = steps_[index + 1];
    if (index > 1) return lost("further levels are not taken apart");
    // The first consecutive lines that do not fit may still be in the cache before.
    if (index == 1) {
        const auto beyond = consecutive(2 * steps_[0].last);
        if (!beyond) return lost("loads took no two times the same");
        below.ns = std::max(below.ns, *beyond);
        if (below.ns * 1.3 > above.ns) return lost("its latency and the next level's do not differ enough");
    }
    whole_pages_ = index > 0;
    parted_ = false;
    fitting_ns_ = below.ns;
    if (whole_pages_) {
        if (first_size_ == 0) return lost("the first level was not taken apart");
        if (first_way_ > page_ && first_classes_.empty())
            return lost("pages were not sorted by the sets of the first level");
        if (at_once_ < kPagesAtOnce) {
            fill_first_cache(1, above.ns);
            const double few = fitting_ns_;
            const u64 wanted = std::exchange(at_once_, kPagesAtOnce);
            fill_first_cache(1, above.ns);
            if (few > kPrefetched * fitting_ns_) at_once_ = wanted;
        }
        fill_first_cache(1, above.ns);
        fillers_.clear();
        if (index + 2 < steps_.size() && one_cache_only(index)) {
            steps_.erase(steps_.begin() + static_cast<long>(index));
            return find_cache(index);
        }
    }
    // There may be a level in between without a step of its own.
    miss_ns_ = std::min(above.ns, 3.5 * below.ns) - below.ns;
    std::string why = "no set of lines overflowed it in the same way each time";
    exclusive_ = false;
    const auto conflict = whole_pages_ ? set_of_pages(why, above.ns) : reduce();
    cache.exclusive = exclusive_;
    if (!conflict) return lost(why);
    const u64 ways = conflict->size() - 1;

    // More pages of the first cache's set: those that overflow it if they replace one of its pages.
    Pages set = *conflict;
    Pages with = *conflict;
    for (const u64 page : some_pages(pages_)) {
        if (whole_pages_ || set.size() >= 2 * ways || contains(set, page)) continue;
        with.back() = page;
        if (one_misses(with).value_or(false) && one_misses(with).value_or(false)) set.push_back(page);
    }
    if (!whole_pages_ && set.size() < 2 * ways) return lost("too few pages share a set");

    // The line size: lines that are moved by less stay in their set.
    u64 line = 0;
    if (!whole_pages_) set.resize(2 * ways);
    for (u64 distance = kShortestLine / 2; distance <= kLongestLine && distance < page_ && line == 0;
         distance *= 2) {
        const auto stays = one_misses(set, distance);
        if (!stays) break;
        if (!*stays) line = distance;
    }
    const std::string how =
        "walks over " + std::to_string(ways + 1) +
        (whole_pages_ ? " pages of one class miss, over " : " lines of one set miss, over ") +
        std::to_string(ways) + " they do not" +
        (exclusive_ ? ", if other pages part them: it holds what the level before evicts" : "");
    cache.ways = Figure<u64>::measured(ways, how);
    if (line < kShortestLine) return lost("no distance parted the lines of one set each time");
    // A prefetcher that brings the line beside a missing one makes lines look twice as long.
    if (whole_pages_ && line != first_line_)
        cache.line =
            Figure<u64>::not_found("lines of " + std::to_string(line) +
                                   " bytes come at once, by a prefetcher or because they are so long");
    else
        cache.line = Figure<u64>::measured(
            line, std::to_string(set.size()) + (whole_pages_ ? " pages of one class" : " lines of one set") +
                      " fit once half of them move so far");

    // Lines that are moved by all of a way's lines come to the same set again. If that is more than a page, pages have
    // classes.
    u64 way = 0;
    std::string found;
    for (u64 distance = 2 * line; !whole_pages_ && distance < page_ && way == 0; distance *= 2) {
        const auto again = one_misses(set, distance);
        if (!again) return lost("loads took no two times the same");
        if (*again) way = distance;
        found = std::to_string(distance) + " bytes further begins the same set";
    }
    if (way == 0) {
        const auto classes = count_classes(*conflict);
        if (!classes) return lost(classes.how);
        // A page may have several lines in a set: then fewer pages overflow it, and half of each page's lines do not.
        if (whole_pages_ && *classes == 1) {
            walked_ = page_ / 2;
            const auto one_each = one_misses(*conflict);
            walked_ = page_;
            if (!one_each.value_or(false))
                return lost("all pages compete, and each may have several lines of a set");
        }
        // The system's pages need not be spread evenly over the classes: a second class must have the same share.
        if (whole_pages_ && *classes > 1) {
            if (!fillers_.empty()) fillers_ = choose_fillers(filled_);
            const auto other = reduce();
            const auto again = other && other->size() == conflict->size() ? count_classes(*other)
                                                                          : Figure<u64>::not_found("");
            if (!again || *again != *classes)
                return lost("a second class of pages did not say the same: " + classes.how);
        }
        way = *classes * page_;
        found = classes.how;
    }
    const u64 size = ways * way;
    const u64 fitting = below.last * kUnit, overflow = above.first * kUnit;
    // Where pages are scattered, those of short walks may be of one class by chance.
    const bool by_chance = way > page_ && chance_of_overflow(static_cast<double>(overflow / page_),
                                                             way / page_, ways) > kLeastChance;
    if (fitting > size + size / 2 || fitting < size / 24 || (overflow < size / 3 && !by_chance)) {
        return lost("its sets make " + std::to_string(size) +
                    " bytes, with which the staircase does not agree: " + std::to_string(fitting) + " fit, " +
                    std::to_string(overflow) + " do not");
    }
    cache.size = Figure<u64>::measured(size, std::to_string(ways) + " ways; " + found);
    if (!whole_pages_ && way > page_ && !sort_pages(*conflict, way / page_)) first_classes_.clear();
    return cache;
}

// Nanoseconds for a load of each line of so many pages in a row, a few pages at a time.
std::optional<double> Search::row_of_pages(u64 pages) {
    whole_pages_ = true;
    moved_ = 0;
    fillers_.clear();
    const auto time = round(first_pages(pages), 0.15);
    if (!time) return std::nullopt;
    return time->each();
}

// Between which sizes the last cache before memory is, from where walks stop to hit it and where they miss it. `before`:
// bytes of the levels before it, which may hold lines that this one does not.
//
// Where pages are scattered, little more than half of a walk as large as a cache misses; where a hash fills its sets
// unevenly, up to four fifths. So the cache is hardly larger than a walk of which more than kMisses misses, whatever the
// order of replacement; a quarter is added. But that needs a walk that misses altogether: with memory behind the level,
// the longest is one.
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
    // The part of a walk's loads that miss; the least of two if many do, because disturbances only make it longer.
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
    // Walks over scattered pages leave a cache by and by, which may look like a level: then memory begins soon.
    if (!found.caches.back().size && steps_.back().first * kUnit >= 4 * before)
        bound(found.caches.back(), steps_[found.caches.size() - 1], before);
    if (!found.caches.back().size && !found.caches.back().at_least)
        found.caches.back().size.how += "; nor could it be bounded: walks did not agree, or no time was left";
}

// Whether walks over one line of each of some more than `fits` pages leave no cache there, so that what makes them slower
// by `rise` are translations. Walks over two lines of each of two thirds as many pages need fewer translations and more
// room. They must be no slower than as many lines in a row, and where a cache may be left, no slower than half as many.
bool Search::caches_hold_lines_of(u64 fits, double before, double rise) {
    // Lines of scattered pages leave a cache whose ways are larger than a page earlier than lines in a row. Of a later
    // cache, only an edge far from its number of lines is surely a TLB's.
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
        // Three successive points that are similar and higher by a quarter of the first cache's latency. What is not in the
        // second level takes at least as long again as what is: a table is read then. Lesser rises have other causes.
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
        // Where it overflows, everything must miss a quarter further, each time: buffers with hashed sets rise gradually,
        // and noise only makes a walk longer.
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
        // Once more, without loads that hit the other half of a line, and with those of lines that were left out.
        measure_curve();
        find_steps();
    }
    if (!steps_.empty()) result.tlbs = find_tlbs();
    result.curve = curve_;
    return result;
}

}  // namespace

MeasuredHierarchy search(Walker& walker, u64 seed) { return Search(walker, seed).run(); }

// A level is told by its latency alone only right behind what is known: further steps may be parts of it, which walks over
// scattered pages leave by and by.
static void drop_doubtful_levels(MeasuredHierarchy& found) {
    std::size_t known = 0;
    while (known < found.caches.size() && (found.caches[known].size || found.caches[known].at_least)) ++known;
    const std::size_t kept = std::max<std::size_t>(known + 1, 3);
    if (found.caches.size() > kept) found.caches.resize(kept);
}

MeasuredHierarchy search_again(Walker& walker, const Deadline& deadline, u64 seed) {
    constexpr std::size_t kWhole = 2;
    constexpr u64 kMost = 5;
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
