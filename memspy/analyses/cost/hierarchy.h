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
// no request: its copy is marked `own`.
#pragma once

#include "machine/description.h"
#include "rt/hash_map.h"
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

class Cache {
public:
    void start(const machine::CacheDescription& description);
    void stop();  // frees its memory

    static constexpr u64 kNone = ~u64{0};
    // Whether the cache holds the line. If so, the line becomes the one used last.
    bool touch(u64 line);
    bool holds(u64 line) const { return find(line) != nullptr; }
    // Returns the line that was evicted, or kNone.
    u64 insert(u64 line);
    bool remove(u64 line);
    // A mark on a line that the cache holds.
    bool own(u64 line) const;
    void set_own(u64 line, bool own);

private:
    // Number of the line + 1, shifted up; bit 0 is the mark. 0: empty.
    static u64 word_of(u64 line) { return (line + 1) << 1; }
    u64* set_of(u64 line) const { return words_ + line % sets_ * ways_; }
    u64* find(u64 line) const;
    void used(u64 set, u64 way);

    u64* words_ = nullptr;  // LRU: in order of use
    u64* trees_ = nullptr;  // pseudo-LRU: a bit for each node, the root is bit 1
    u64 sets_ = 0, ways_ = 0;
    bool pseudo_ = false;
};

class Hierarchy {
public:
    void start(const machine::Description& description, const Placement& placement);
    void stop();

    // Threads are numbered from 0; a new number is a new thread.
    Outcome access(u32 thread, u64 address, u32 bytes, bool stores);

    const machine::Description& description() const { return description_; }
    u64 latency(u32 level) const { return cycles_[level]; }
    // The memory is no longer the program's: the next thread to touch it is the first.
    void forget(u64 begin, u64 end);

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
    void fill(PerThread& t, u64 line, u32 found);
    void evicted(PerThread& t, u32 level, u64 line);
    bool take_from_others(u32 number, u64 line, bool stores);
    void prefetch(PerThread& t, u64 line);
    Cache& cache(u32 level, u32 index) { return caches_[level][index]; }

    machine::Description description_{};
    Placement placement_;
    u32 levels_ = 0;
    u64 cycles_[machine::kMaxLevels] = {};
    u64 memory_ = 0, remote_ = 0, transfer_ = 0;
    rt::Vector<Cache> caches_[machine::kMaxLevels];
    rt::Vector<Cache> tlbs_;  // of all threads, in order
    rt::Vector<PerThread> threads_;
    rt::HashMap<u8> homes_;  // page -> node
};

}  // namespace memspy::cost
