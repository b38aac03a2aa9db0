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
// no request: its copy is marked as its own. The mark goes with an evicted line to the next level; on a level that
// several threads share, it means that one of them stored to the line.
#pragma once

#include "analyses/cost/page_homes.h"
#include "machine/description.h"
#include "rt/set_cache.h"
#include "rt/vector.h"

namespace memspy::cost {

// The result of one access.
struct Outcome {
    u64 cycles = 0;
    u32 l1_misses = 0, l2_misses = 0, llc_misses = 0;  // lines that were not in the level
    u32 tlb_misses = 0;                                // pages that were not in the first level
    u32 local = 0, remote = 0;                         // lines that came from memory
    u32 transfers = 0;                                 // lines that came from another thread's cache
    bool first_touch = false;                          // of a page
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

class Hierarchy {
public:
    void start(const machine::Description& description, const Placement& placement);
    void stop();

    // Threads are numbered from 0; a new number is a new thread.
    Outcome access(u32 thread, u64 address, u32 bytes, bool stores);
    // True only if the access changes nothing and takes the first level's cycles: it is to the page of the
    // thread's last access, and to the line of its set that was used last. Most accesses are like that.
    bool is_repeated(u32 number, u64 address, u32 bytes, bool stores) const {
        if (number >= threads_.size() || description_.prefetch) return false;
        const PerThread& t = threads_[number];
        const u64 line = address >> line_bits_;
        return address >> page_bits_ == t.page && (address + bytes - 1) >> line_bits_ == line &&
               caches_[0][t.first[0]].is_latest(line, stores);
    }

    const machine::Description& description() const { return description_; }
    u64 latency(u32 level) const { return cycles_[level]; }
    // The memory is no longer the program's: the next thread to touch it is the first.
    void forget(u64 begin, u64 end);
    // Sets the homes of new pages of a range, or of a thread.
    void bind(u64 begin, u64 end, const NodePolicy& policy, bool move);
    void bind(u32 thread, const NodePolicy& policy) { homes_.set_policy(thread, policy); }

private:
    struct PerThread {
        u32 first[machine::kMaxLevels];  // number of the thread's cache on each level
        u32 tlbs;                        // of the thread's first TLB
        u64 page;                        // of the last access
        u64 streams[8];                  // the next line of a stream; 0: none
        i32 steps[8];
        u32 next_stream;
    };

    PerThread& thread(u32 number);
    u32 share_of(u32 level) const;
    void line_access(u32 number, PerThread& t, u64 line, bool stores, Outcome& outcome);
    u64 translate(PerThread& t, u32 number, u64 address, Outcome& outcome);
    void fill(PerThread& t, u64 line, u32 found);
    void evicted(PerThread& t, u32 level, const SetCache::Evicted& gone);
    bool take_from_others(u32 number, u64 line, bool stores);
    void prefetch(PerThread& t, u64 line);
    SetCache& cache(u32 level, u32 index) { return caches_[level][index]; }

    machine::Description description_{};
    Placement placement_;
    u32 levels_ = 0;
    u32 line_bits_ = 0, page_bits_ = 0;
    u64 cycles_[machine::kMaxLevels] = {};
    u64 memory_ = 0, remote_ = 0, transfer_ = 0;
    rt::Vector<SetCache> caches_[machine::kMaxLevels];
    rt::Vector<SetCache> tlbs_;  // of all threads, in order
    rt::Vector<PerThread> threads_;
    PageHomes homes_;
};

}  // namespace memspy::cost
