// SPDX-License-Identifier: GPL-2.0-or-later
//
// Lines or pages of one set: too many to fit, and none too many.
#include "machine/search_state.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace memspy::machine {

// More and more pages, until a tenth of them overflow; empty if they never do. `among`: of these only, if
// there are any.
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

// Whether the cache holds only what the first one evicted. Then the pages of a class that the first cache
// still has take no room here: where k pages too many are loaded one behind the other, k miss, and k more
// each time that fillers part them. In other caches it makes no difference what is loaded between them.
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

// The pages that compete with the page in the first cache, as far as they are known; else some, enough for a
// choice.
Pages Search::rivals_of(u64 page, const Pages& conflict) {
    for (const Pages& pages : first_classes_)
        if (contains(pages, page)) return pages;
    return some_pages(4 * (conflict.size() + fillers_.size()));
}

// Fillers that belong to the conflict's class become part of it, and others take their place in the first
// cache: its other pages stay there if one is merely left out, and that looks as if all fitted. Another
// filler may be of the class by chance, so three are tried.
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

// Whether the conflict misses without the help of a filler. All fillers are replaced by pages that are not of
// its class: such a page fits in the place of one of the conflict's own. If a filler was of the class after
// all, the conflict has too few pages, and fits then.
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

// Whether a parted round without one of the conflict's pages misses no more than with a page of another class
// in the place of one more. Fillers that the first cache still has when they come again shorten such a round,
// and so hide a page too many.
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

// The pages of one class that overflow the second cache by one. `why`: if they are not found.
std::optional<Pages> Search::set_of_pages(std::string& why, double most) {
    // Where the order of replacement is not that of use, twice as many fillers leave nothing else in the
    // first cache.
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
    // Where all pages that compete in the first cache compete in this one, too, none can empty it without
    // being of the set. There the set's own pages do.
    fill_first_cache(2, most);
    fillers_.clear();
    filled_ = 0;
    const auto conflict = reduce();
    if (!conflict) return std::nullopt;
    if (keeps_copies(*conflict)) return conflict;
    why = "its sets are not more than the first level's, so the ways of both cannot be told apart";
    return std::nullopt;
}

// Whether the cache keeps a copy of what the first one has, and the first one keeps nothing of a walk over
// the class. A page that the first cache always has, because it is loaded again beside each load, is soon no
// longer in this one, and all others fit. If the first cache's content took no room here, or were always
// here, too, it would be one too many.
bool Search::keeps_copies(const Pages& conflict) {
    constexpr double kHalf = 0.5;
    // What such a load may take in the first cache, in terms of the time of a load that depends on the one
    // before.
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

}  // namespace memspy::machine
