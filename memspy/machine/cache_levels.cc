// SPDX-License-Identifier: GPL-2.0-or-later
//
// What a level of cache is like.
#include "machine/search_state.h"

#include <algorithm>
#include <utility>

namespace memspy::machine {

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

    // Lines that are moved by all of a way's lines come to the same set again. If that is more than a page,
    // pages have classes.
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
        // A page may have several lines in a set: then fewer pages overflow it, and half of each page's lines
        // do not.
        if (whole_pages_ && *classes == 1) {
            walked_ = page_ / 2;
            const auto one_each = one_misses(*conflict);
            walked_ = page_;
            if (!one_each.value_or(false))
                return lost("all pages compete, and each may have several lines of a set");
        }
        // The system's pages need not be spread evenly over the classes: a second class must have the same
        // share.
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

}  // namespace memspy::machine
