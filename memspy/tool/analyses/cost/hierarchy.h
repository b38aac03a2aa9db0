// SPDX-License-Identifier: GPL-2.0-or-later
//
// The simulated hierarchy: levels of caches, private or shared, translation buffers, and the home of each
// page. docs/cost.md describes the model. No Valgrind here.
//
// Each thread runs on a processor of its own, numbered from 0 in order of creation. A level that s threads
// share has one cache for each s of them. Lines are identified by their number, address / line size.
//
// Coherence is MESI as far as it changes the place where a line is found. A store removes the line from all
// caches that do not serve its thread. A load of a line that another thread has stored to and still holds
// costs a transfer. A thread that stores again to its line, without a request by another thread since, needs
// no request: its copy is marked as its own. The mark goes with an evicted line to the next level; on a level
// that several threads share, it means that one of them stored to the line.
#pragma once

#include "analyses/cost/page_homes.h"
#include "analyses/cost/tlb.h"
#include "machines/description.h"
#include "rt/set_cache.h"
#include "rt/vector.h"

namespace memspy::cost {

// The result of one access.
struct Outcome {
    u64 cycles = 0;
    u32 l1_misses = 0, l2_misses = 0, llc_misses = 0;  // lines that were not in the level
    u32 tlb_misses = 0;                                // pages that were not in the first level
    u32 local = 0, remote = 0;  // those that missed the last, by the node that gave them
    u32 transfers = 0;          // lines that came from another thread's cache
    u32 from = 0;               // the node that gave the last line that missed the last level
    bool transferred = false;   // that came from a cache
    bool first_touch = false;   // of a page
};

struct Placement {
    u32 nodes = 1;
    bool in_blocks = false;
    u32 block = 8;
    u32 node_of(u32 thread) const { return in_blocks ? thread / block % nodes : thread % nodes; }
    // The thread's number among those of its node, from 0.
    u32 rank_of(u32 thread) const {
        return in_blocks ? thread / (block * nodes) * block + thread % block : thread / nodes;
    }
};

// Latencies for descriptions that have none; the profile says which were assumed.
inline constexpr u64 kAssumedCycles[machine::kMaxLevels] = {4, 14, 50, 80};
inline constexpr u64 kAssumedMemory = 200;
inline constexpr u64 kAssumedTlb[machine::kMaxTlbs] = {7, 30};

using rt::SetCache;

// An access inside one line changes nothing but the order of lines and pages, and takes the first level's
// cycles, if the first level has the line (and it is the thread's own, for a store), the TLB has the page,
// and there is no prefetcher. Most accesses are like that, and hints find both. The view is valid until a
// thread is new.
struct QuickEntries {
    u32 line, page;
    bool found() const { return line != SetCache::kNoEntry && page != Tlb::kNone; }
};
struct QuickView {
    SetCache* nearest = nullptr;
    SetCache* second = nullptr;  // null: there is none
    Tlb* tlb = nullptr;
    SetCache::QuickLines lines;
    u32 line_bits = 0, page_bits = 0;
    bool has_lines = false;  // there are hints for lines, and no prefetcher sees what they are used for
    bool has_tags = false;   // and the first level is the thread's own, so that tags can be set
    bool prefetches = false;
    bool only_caches_move =
        false;  // a hit changes the order of lines and pages, and nothing else, but for a prefetcher
    bool is_plain = false;       // and no level depends on what another one has: Hierarchy::beyond_first()
    bool second_is_own = false;  // only the thread uses it
    // The entries of the access's line and page. If both are found, it is a hit: call used(). Else go through
    // the hierarchy.
    QuickEntries entries_of(Address a, u32 reach, bool stores) const {
        const u64 line = a >> line_bits;
        if (!has_lines || (a + reach) >> line_bits != line) return {SetCache::kNoEntry, Tlb::kNone};
        return {lines.entry_of(line, stores), tlb->entry_of(a >> page_bits)};
    }
    void used(QuickEntries entries) const {
        u64 clock = nearest->clock();
        lines.used(entries.line, clock);
        nearest->set_clock(clock);
        tlb->used(entries.page);
    }
    // Whether the access inside one line hits the first level and its TLB. If so, it is done. A prefetcher
    // does not see accesses to the line of its set used last.
    bool hits(Address a, u32 reach, bool stores) const {
        const u64 line = a >> line_bits;
        if (!only_caches_move || (a + reach) >> line_bits != line || !tlb->touch(a >> page_bits))
            return false;
        if (prefetches && !nearest->is_latest(line, false)) return false;
        if (!nearest->touch(line)) return false;
        if (stores) nearest->set_mark(line, true);
        return true;
    }
};

class Hierarchy {
public:
    void start(const machine::Description& description, const Placement& placement);
    void stop();

    // Threads are numbered from 0; a new number is a new thread.
    Outcome access(u32 thread, u64 address, u32 bytes, bool stores);
    // The rest of an access to a line that the first level did not have: it has it now, at `entry`, in the
    // place of `gone`. Returns the level that had it. Only if the view is plain, and the TLB has the page.
    u32 beyond_first(const QuickView& view, u32 thread, u64 line, u32 entry, bool stores,
                     SetCache::Evicted gone) {
        u32 found = 1;
        bool own = false;
        if (view.second != nullptr) [[likely]] {
            const SetCache::TouchedLine touched = view.second->touch_or_insert(line);
            if (touched.hit) [[likely]]
                own = view.second_is_own && view.second->take_mark_of(touched.entry);
            else
                found = beyond_second(threads_[thread], line, touched.gone, own);
            // If the second level still has the line that went, then at the entry where it was when it came.
            if (view.nearest->has_links()) {
                u32& link = view.nearest->link_of(entry);
                view.second->mark_if(link, gone.line(), gone.marked());
                link = touched.entry;
            } else if (gone.marked()) {
                view.second->set_mark(gone.line(), true);
            }
        }
        if (stores || own) view.nearest->mark_entry(entry);
        return found;
    }
    // What that costs.
    void add_beyond_first(u64 line, u32 found, Outcome& outcome);
    // The first level and its TLB of a thread, for callers that pass most accesses by: see QuickView.
    QuickView quick_view(u32 thread);

    const machine::Description& description() const { return description_; }
    u32 node_of(u32 thread) const { return placement_.node_of(thread); }
    u64 page_of(u64 address) const { return address >> page_bits_; }
    u32 group_of_page(u64 address) const { return line_of_page(address >> line_bits_); }
    // What it costs to use lines again, if their thread has used so many in the meantime, and those of its node so
    // many.
    u64 cost_after(u64 lines, u64 own, u64 of_node) const;
    u64 lines_of_page() const { return u64{1} << (page_bits_ - line_bits_); }
    // Additional cycles of a line from another node.
    u64 remote_extra() const { return remote_ > memory_ ? remote_ - memory_ : 0; }
    u64 latency(u32 level) const { return cycles_[level]; }
    u32 line_bits() const { return line_bits_; }
    // Lines of the first level have tags (rt/set_cache.h), which are the caller's. A line with a tag is of a
    // page that the TLB has, and its note is the page's entry there. Where the view has tags.
    void set_tag(const QuickView& view, u64 line, u32 line_entry, u32 page_entry, u32 tag) const {
        view.tlb->note_line(page_entry, line_of_page(line));
        view.nearest->set_tag_of(line_entry, tag, static_cast<u16>(page_entry));
    }
    void clear_tags() {
        for (SetCache& each : caches_[0]) each.clear_tags();
    }
    void clear_tags_of(u64 begin, u64 end) {
        for (SetCache& each : caches_[0])
            each.clear_tags_between(begin >> line_bits_, ((end - 1) >> line_bits_) + 1);
    }
    // The memory is no longer the program's: the next thread to touch it is the first.
    void forget(u64 begin, u64 end);
    // Sets the homes of new pages of a range, or of a thread.
    void bind(u64 begin, u64 end, const NodePolicy& policy, bool move);
    void bind(u32 thread, const NodePolicy& policy) { homes_.set_policy(thread, policy); }

private:
    struct PerThread {
        u32 first[machine::kMaxLevels];  // number of the thread's cache on each level
        u32 tlbs;                        // of the thread's first TLB
        u64 streams[8];                  // the next line of a stream; 0: none
        i32 steps[8];
        u32 next_stream;
    };

    PerThread& thread(u32 number);
    u32 share_of(u32 level) const;
    void line_access(u32 number, PerThread& t, u64 line, bool stores, Outcome& outcome);
    u64 translate(PerThread& t, u32 number, u64 address, Outcome& outcome);
    void line_access_alone(u32 number, u64 line, bool stores, Outcome& outcome);
    u32 beyond_second(PerThread& t, u64 line, SetCache::Evicted gone, bool& own);
    void fill(PerThread& t, u64 line, u32 found);
    void evicted(PerThread& t, u32 level, SetCache::Evicted gone);
    i32 take_from_others(u32 number, u64 line, bool stores);
    static constexpr i32 kNobody = -1;
    // A page has up to 64 lines, or as many groups of them.
    u32 line_of_page(u64 line) const { return static_cast<u32>(line >> group_bits_) % 64; }
    void page_evicted(PerThread& t, const Tlb::EvictedPage& gone);
    void prefetch(PerThread& t, u64 line);
    SetCache& cache(u32 level, u32 index) { return caches_[level][index]; }

    machine::Description description_{};
    Placement placement_;
    u32 levels_ = 0;
    u64 tlb_cycles_[machine::kMaxTlbs] = {};
    bool has_tlb_ = false;
    bool is_plain_ =
        false;  // no level excludes another one's lines, or includes them; true LRU; no prefetcher
    u32 line_bits_ = 0, page_bits_ = 0, group_bits_ = 0;
    u64 cycles_[machine::kMaxLevels] = {};
    u64 memory_ = 0, remote_ = 0, transfer_ = 0;
    rt::Vector<SetCache> caches_[machine::kMaxLevels];
    // Of all threads, in order. A machine without TLB has one that costs nothing: pages that it has were
    // touched.
    rt::Vector<Tlb> tlbs_;
    rt::Vector<PerThread> threads_;
    PageHomes homes_;
};

}  // namespace memspy::cost
