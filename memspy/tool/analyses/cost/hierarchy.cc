// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyses/cost/hierarchy.h"

#include <algorithm>

namespace memspy::cost {

void Hierarchy::start(const machine::Description& description, const Placement& placement) {
    description_ = description;
    placement_ = placement;
    levels_ = description.cache_levels;
    has_tlb_ = description.tlb_levels != 0;
    if (!has_tlb_) description_.tlbs[0] = {.entries = 4096, .ways = 4, .cycles = 0};
    if (!has_tlb_) description_.tlb_levels = 1;
    line_bits_ = static_cast<u32>(__builtin_ctzll(description.caches[0].line));
    page_bits_ = static_cast<u32>(__builtin_ctzll(description.page));
    if (page_bits_ > line_bits_ + 6) group_bits_ = page_bits_ - line_bits_ - 6;
    homes_.start(placement.nodes);
    is_plain_ = !description.prefetch;
    for (u32 level = 0; level < levels_; ++level) {
        const machine::CacheDescription& each = description.caches[level];
        is_plain_ = is_plain_ && !each.exclusive && !each.inclusive && !each.pseudo_lru;
    }
    for (u32 level = 0; level < levels_; ++level) {
        const u64 said = description.caches[level].cycles;
        cycles_[level] = said != 0 ? said : kAssumedCycles[level];
    }
    for (u32 i = 0; i < machine::kMaxTlbs; ++i) {
        const u64 said = description.tlbs[i].cycles;
        tlb_cycles_[i] = !has_tlb_ ? 0 : said != 0 ? said : kAssumedTlb[i];
    }
    memory_ = description.memory_cycles != 0 ? description.memory_cycles : kAssumedMemory;
    remote_ = description.remote_cycles != 0 ? description.remote_cycles : 2 * memory_;
    transfer_ = description.transfer_cycles != 0 ? description.transfer_cycles : memory_;
}

void Hierarchy::stop() {
    for (auto& level : caches_) {
        for (SetCache& each : level) each.stop();
        level.clear();
    }
    for (Tlb& tlb : tlbs_) tlb.stop();
    tlbs_.clear();
    threads_.clear();
    homes_.clear();
}

u64 Hierarchy::cost_after(u64 lines, u64 own, u64 of_node) const {
    u64 cost = 0;
    for (u32 level = 0; level < levels_; ++level) {
        const machine::CacheDescription& cache = description_.caches[level];
        const u64 between = share_of(level) == 1 ? own : of_node, has = cache.size >> line_bits_;
        // What is too much falls into one set after the other, and a set with too much has nothing in time.
        const u64 over = between > has ? std::min<u64>(between - has, cache.sets()) : 0;
        const u64 found = lines - lines * over / cache.sets();
        cost += found * cycles_[level];
        lines -= found;
    }
    return cost + lines * memory_;
}

u32 Hierarchy::share_of(u32 level) const { return static_cast<u32>(description_.caches[level].shared); }

Hierarchy::PerThread& Hierarchy::thread(u32 number) {
    while (threads_.size() <= number) {
        const u32 next = static_cast<u32>(threads_.size());
        PerThread t{};
        for (u32 level = 0; level < levels_; ++level) {
            // Threads of different nodes share no cache.
            const u32 share = share_of(level), node = placement_.node_of(next);
            t.first[level] = share == 0   ? node
                             : share == 1 ? next
                                          : node + placement_.nodes * (placement_.rank_of(next) / share);
            while (caches_[level].size() <= t.first[level]) {
                caches_[level].push_back(SetCache{});
                const machine::CacheDescription& cache = description_.caches[level];
                caches_[level].back().start(cache.sets(), cache.ways, cache.pseudo_lru, level == 0);
            }
        }
        t.tlbs = static_cast<u32>(tlbs_.size());
        for (u32 i = 0; i < description_.tlb_levels; ++i) {
            tlbs_.push_back(Tlb{});
            tlbs_.back().start(description_.tlbs[i].entries, description_.tlbs[i].ways);
        }
        threads_.push_back(t);
        // Notes are of the TLB of the only thread that a first level serves.
        if (share_of(0) != 1) clear_tags();
    }
    return threads_[number];
}

QuickView Hierarchy::quick_view(u32 number) {
    const PerThread& t = thread(number);
    SetCache& nearest = cache(0, t.first[0]);
    return {&nearest,
            levels_ > 1 ? &cache(1, t.first[1]) : nullptr,
            &tlbs_[t.tlbs],
            nearest.quick_lines(),
            line_bits_,
            page_bits_,
            nearest.quick_lines().words != nullptr && !description_.prefetch,
            nearest.quick_lines().words != nullptr && !description_.prefetch &&
                (share_of(0) == 1 || threads_.size() == 1),
            description_.prefetch,
            threads_.size() == 1,
            threads_.size() == 1 && is_plain_,
            levels_ > 1 && share_of(1) == 1};
}

Outcome Hierarchy::access(u32 number, u64 address, u32 bytes, bool stores) {
    Outcome outcome;
    PerThread& t = thread(number);
    const u64 first = address >> line_bits_, last = (address + (bytes == 0 ? 0 : bytes - 1)) >> line_bits_;
    if (is_plain_ && threads_.size() == 1) {
        for (u64 line = first; line <= last; ++line) {
            outcome.cycles += translate(t, number, line == first ? address : line << line_bits_, outcome);
            line_access_alone(number, line, stores, outcome);
        }
        return outcome;
    }
    for (u64 line = first; line <= last; ++line) {
        const u64 at = line == first ? address : line << line_bits_;
        outcome.cycles += translate(t, number, at, outcome);
        line_access(number, t, line, stores, outcome);
    }
    return outcome;
}

// The cycles of the page's translation beyond a hit. The first thread to touch the page sets its home.
u64 Hierarchy::translate(PerThread& t, u32 number, u64 address, Outcome& outcome) {
    const u64 page = address >> page_bits_;
    u64 cycles = 0;
    for (u32 i = 0; i < description_.tlb_levels; ++i) {
        Tlb& tlb = tlbs_[t.tlbs + i];
        if (tlb.touch(page)) return cycles;
        const Tlb::EvictedPage gone = tlb.insert(page);
        if (i == 0 && gone.lines != 0) page_evicted(t, gone);
        outcome.tlb_misses += i == 0 && has_tlb_;
        cycles += tlb_cycles_[i];
    }
    outcome.first_touch |= homes_.touch(page, number, placement_.node_of(number));
    return cycles;
}

void Hierarchy::page_evicted(PerThread& t, const Tlb::EvictedPage& gone) {
    const u64 first = gone.page << (page_bits_ - line_bits_), group = u64{1} << group_bits_;
    for (u64 lines = gone.lines; lines != 0; lines &= lines - 1) {
        const u64 line = first + (static_cast<u64>(__builtin_ctzll(lines)) << group_bits_);
        cache(0, t.first[0]).clear_tags_between(line, line + group);
    }
}

// As line_access() does it where nothing but the order of lines has to be kept: each level is looked at once.
void Hierarchy::line_access_alone(u32 number, u64 line, bool stores, Outcome& outcome) {
    const QuickView view = quick_view(number);
    SetCache& nearest = *view.nearest;
    const SetCache::TouchedLine touched = nearest.touch_or_insert(line);
    if (!touched.hit)
        return add_beyond_first(line, beyond_first(view, number, line, touched.entry, stores, touched.gone),
                                outcome);
    if (stores) nearest.mark_entry(touched.entry);
    outcome.cycles += cycles_[0];
}

u32 Hierarchy::beyond_second(PerThread& t, u64 line, SetCache::Evicted gone_from_second, bool& own) {
    SetCache::Evicted gone[machine::kMaxLevels];
    gone[1] = gone_from_second;
    u32 found = 2;
    for (; found < levels_; ++found) {
        SetCache& level = cache(found, t.first[found]);
        const SetCache::TouchedLine touched = level.touch_or_insert(line);
        gone[found] = touched.gone;
        if (!touched.hit) continue;
        own = share_of(found) == 1 && level.take_mark_of(touched.entry);
        break;
    }
    for (u32 level = found < levels_ ? found : levels_ - 1; level-- > 1;)
        if (gone[level].marked()) cache(level + 1, t.first[level + 1]).set_mark(gone[level].line(), true);
    return found;
}

void Hierarchy::add_beyond_first(u64 line, u32 found, Outcome& outcome) {
    ++outcome.l1_misses;
    outcome.l2_misses += found > 1;
    if (found < levels_) {
        outcome.cycles += cycles_[found];
        return;
    }
    ++outcome.llc_misses;
    const u32 node = placement_.node_of(0);
    const u8* const home = placement_.nodes == 1 ? nullptr : homes_.find(line << line_bits_ >> page_bits_);
    outcome.from = home != nullptr ? *home : node;
    ++(outcome.from == node ? outcome.local : outcome.remote);
    outcome.transferred = false;
    outcome.cycles += outcome.from == node ? memory_ : remote_;
}

void Hierarchy::line_access(u32 number, PerThread& t, u64 line, bool stores, Outcome& outcome) {
    SetCache& nearest = cache(0, t.first[0]);
    const bool alone = threads_.size() == 1;
    // A prefetcher sees the accesses that change the order of lines.
    const bool prefetches = description_.prefetch && !nearest.is_latest(line, false);
    if (nearest.touch(line)) {
        outcome.cycles += cycles_[0];
        if (stores && !nearest.marked(line)) {
            if (!alone) take_from_others(number, line, true);
            nearest.set_mark(line, true);
        }
        if (prefetches) prefetch(t, line);
        return;
    }
    ++outcome.l1_misses;
    u32 found = 1;
    bool own = false;
    for (; found < levels_; ++found) {
        SetCache& level = cache(found, t.first[found]);
        if (level.touch(line)) {
            own = share_of(found) == 1 && level.take_mark(line);
            break;
        }
        if (found == 1) ++outcome.l2_misses;
    }
    if (found == levels_) ++outcome.llc_misses;
    // Another thread that stored to the line has it in a cache that does not serve this thread.
    const i32 giver = alone || own ? kNobody : take_from_others(number, line, stores);
    const u32 node = placement_.node_of(number);
    const u8* const home =
        giver == kNobody && found == levels_ ? homes_.find(line << line_bits_ >> page_bits_) : nullptr;
    const u32 from = giver != kNobody  ? placement_.node_of(static_cast<u32>(giver))
                     : home != nullptr ? *home
                                       : node;
    if (giver != kNobody) {
        outcome.cycles += from != node && remote_ > transfer_ ? remote_ : transfer_;
        ++outcome.transfers;
    } else {
        outcome.cycles += found < levels_ ? cycles_[found] : from == node ? memory_ : remote_;
    }
    if (found == levels_) {
        ++(from == node ? outcome.local : outcome.remote);
        outcome.from = from;
        outcome.transferred = giver != kNobody;
    }
    fill(t, line, found);
    if (stores || own) nearest.set_mark(line, true);
    if (description_.prefetch) prefetch(t, line);
}

// Inserts the line into each level before the one that had it. An exclusive level gives the line away, and
// takes the line evicted from the level before.
void Hierarchy::fill(PerThread& t, u64 line, u32 found) {
    if (found < levels_ && description_.caches[found].exclusive) cache(found, t.first[found]).remove(line);
    for (u32 level = found; level-- > 0;) {
        if (level > 0 && description_.caches[level].exclusive) continue;
        const SetCache::Evicted gone = cache(level, t.first[level]).insert(line);
        if (gone.word != 0) evicted(t, level, gone);
    }
}

void Hierarchy::evicted(PerThread& t, u32 level, SetCache::Evicted gone) {
    const u64 line = gone.line();
    if (level > 0 && description_.caches[level].inclusive) {
        // All threads that this cache serves.
        for (const PerThread& other : threads_) {
            if (other.first[level] != t.first[level]) continue;
            for (u32 before = 0; before < level; ++before) cache(before, other.first[before]).remove(line);
        }
    }
    if (level + 1 >= levels_) return;
    SetCache& next = cache(level + 1, t.first[level + 1]);
    if (description_.caches[level + 1].exclusive && !next.touch(line))
        if (const SetCache::Evicted further = next.insert(line); further.word != 0)
            evicted(t, level + 1, further);
    if (gone.marked()) next.set_mark(line, true);
}

// The thread that stored to the line, if it comes from that thread's cache. A store removes it from all other
// caches.
i32 Hierarchy::take_from_others(u32 number, u64 line, bool stores) {
    const PerThread& t = threads_[number];
    i32 giver = kNobody;
    for (u32 i = 0; i < threads_.size(); ++i) {
        if (i == number) continue;
        const PerThread& other = threads_[i];
        for (u32 level = 0; level < levels_; ++level) {
            if (other.first[level] == t.first[level]) continue;
            SetCache& held = cache(level, other.first[level]);
            if (held.take_mark(line)) giver = static_cast<i32>(i);
            if (stores) held.remove(line);
        }
    }
    return giver;
}

// Two successive lines start a stream. The two lines behind it are then prefetched in time.
void Hierarchy::prefetch(PerThread& t, u64 line) {
    for (u32 i = 0; i < 8; ++i) {
        if (t.streams[i] == line + 1 && t.steps[i] != 0) return;  // still in the stream's last line
        if (t.streams[i] != line) continue;
        const i32 step = t.steps[i] == 0 ? 1 : t.steps[i];
        for (u32 ahead = 1; ahead <= 2; ++ahead) {
            const u64 next = line + ahead * static_cast<u64>(step);
            if (next << line_bits_ >> page_bits_ != line << line_bits_ >> page_bits_) break;
            if (cache(0, t.first[0]).holds(next)) continue;
            u32 found = 1;
            while (found < levels_ && !cache(found, t.first[found]).touch(next)) ++found;
            fill(t, next, found);
        }
        t.streams[i] = line + static_cast<u64>(step);
        t.steps[i] = step;
        return;
    }
    for (u32 i = 0; i < 8; ++i)
        if (t.streams[i] == line + 1) return;
    t.streams[t.next_stream] = line + 1;
    t.steps[t.next_stream] = 0;
    t.next_stream = (t.next_stream + 1) % 8;
}

void Hierarchy::forget(u64 begin, u64 end) {
    const u64 first = begin >> page_bits_, last = (end + description_.page - 1) >> page_bits_;
    homes_.forget(first, last);
    clear_tags_of(first << page_bits_, last << page_bits_);
    for (Tlb& tlb : tlbs_) tlb.remove_between(first, last);
}

void Hierarchy::bind(u64 begin, u64 end, const NodePolicy& policy, bool move) {
    homes_.set_policy(begin >> page_bits_, (end + description_.page - 1) >> page_bits_, policy, move);
}

}  // namespace memspy::cost
