// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyses/cost/placement.h"

namespace memspy::cost {

PlacementAdvice advise(const PlacementStudy& study, u32 nodes) {
    if (study.remote < kFewest || study.remote * kLeastShare < study.lines + study.taken)
        return PlacementAdvice::None;
    if (study.remote_touched * 2 <= study.remote) return PlacementAdvice::TouchByUsers;
    if (study.late_stores == 0 && study.copied * 2 <= study.remote) return PlacementAdvice::Replicate;
    // One node gives half as much again as its share, and would give less.
    const bool crowded = study.busiest * 2 * nodes >= study.lines * 3;
    return crowded && study.busiest_interleaved * 4 <= study.busiest * 3 ? PlacementAdvice::Interleave
                                                                         : PlacementAdvice::None;
}

void PageUses::clear() {
    objects_.clear();
    pages_.clear();
    page_numbers_.clear();
    fetched_.clear();
    given_.clear();
}

PageUses::ObjectUse& PageUses::use_of(u32 object) {
    if (objects_.size() <= object) objects_.resize(object + 1);
    return objects_[object];
}

u32 PageUses::accessed(u32 object, u64 page, u32 node, bool stores) {
    ObjectUse& use = use_of(object);
    use.nodes |= u64{1} << node;
    use.late_stores += stores && (use.nodes & (use.nodes - 1)) != 0;
    u32& known = known_[(page + object) % kKnown];
    if (known >= pages_.size() || pages_[known].page != page || pages_[known].object != object)
        known = place_of(object, page);
    pages_[known].nodes |= u64{1} << node;
    return known;
}

u32 PageUses::place_of(u32 object, u64 page) {
    for (u64 key = page * 0x9e3779b97f4a7c15u + object;; ++key) {
        u32& number = page_numbers_[key];
        if (number == 0) {
            pages_.push_back({.page = page, .nodes = 0, .object = object});
            number = static_cast<u32>(pages_.size());
            fetched_.resize(pages_.size() * nodes_);
            given_.resize(pages_.size() * nodes_);
        }
        const UsedPage& is = pages_[number - 1];
        if (is.page == page && is.object == object) return number - 1;
    }
}

void PageUses::fetched(u32 place, u32 node, u32 home, bool from_cache) {
    const UsedPage& page = pages_[place];
    ObjectUse& use = use_of(page.object);
    if (from_cache && (page.nodes >> home & 1) != 0) {
        ++use.taken;
        use.taken_remote += node != home;
        return;
    }
    use.remote += node != home;
    ++fetched_[place * nodes_ + node];
    ++given_[place * nodes_ + home];
}

void PageUses::used(u32 place, u32 group, u32 thread, u32 node, u64 cycles, bool remote) {
    UsedPage& page = pages_[place];
    const u64 bit = u64{1} << group;
    if ((page.used_lines & bit) != 0) return;
    if (page.used_lines == 0) page.first = {.object = page.object, .thread = thread, .node = node};
    page.used_lines |= bit;
    if (page.first.thread != thread) return;
    ++page.first.lines;
    page.first.remote += remote;
    page.first.cycles += cycles;
}

void PageUses::first_uses(rt::Vector<FirstUses>& all) const {
    rt::HashMap<u32> numbers;  // object and thread -> number + 1
    for (const UsedPage& page : pages_) {
        const FirstUses& is = page.first;
        if (is.lines == 0) continue;
        u32& number = numbers[u64{is.object} << 32 | is.thread];
        if (number == 0) {
            all.push_back({.object = is.object, .thread = is.thread, .node = is.node});
            number = static_cast<u32>(all.size());
        }
        FirstUses& sum = all[number - 1];
        sum.lines += is.lines;
        sum.remote += is.remote;
        sum.cycles += is.cycles;
    }
}

void PageUses::study(rt::Vector<PlacementStudy>& studies, u64 lines_of_page) {
    studies.clear();
    studies.resize(objects_.size());
    for (usize i = 0; i < objects_.size(); ++i) {
        studies[i].late_stores = objects_[i].late_stores;
        studies[i].remote = objects_[i].remote;
        studies[i].taken = objects_[i].taken;
        studies[i].taken_remote = objects_[i].taken_remote;
    }
    rt::Vector<u64> gave, would_give;  // by object and node
    gave.resize(objects_.size() * nodes_);
    would_give.resize(objects_.size() * nodes_);
    for (usize i = 0; i < pages_.size(); ++i) {
        const u32* const fetched = &fetched_[i * nodes_];
        const u32* const given = &given_[i * nodes_];
        PlacementStudy& study = studies[pages_[i].object];
        const u32 turn = static_cast<u32>(pages_[i].page % nodes_);
        u64 all = 0, most = 0, users = 0;
        for (u32 node = 0; node < nodes_; ++node) {
            all += fetched[node];
            most = fetched[node] > most ? fetched[node] : most;
            users += fetched[node] != 0;
            gave[pages_[i].object * nodes_ + node] += given[node];
        }
        would_give[pages_[i].object * nodes_ + turn] += all;
        study.lines += all;
        study.remote_touched += all - most;
        study.remote_interleaved += all - fetched[turn];
        study.copied += (users - (users != 0)) * lines_of_page;
    }
    for (usize i = 0; i < objects_.size(); ++i)
        for (u32 node = 0; node < nodes_; ++node) {
            PlacementStudy& study = studies[i];
            const usize at = i * nodes_ + node;
            study.busiest = gave[at] > study.busiest ? gave[at] : study.busiest;
            study.busiest_interleaved =
                would_give[at] > study.busiest_interleaved ? would_give[at] : study.busiest_interleaved;
        }
}

}  // namespace memspy::cost
