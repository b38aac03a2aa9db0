// SPDX-License-Identifier: GPL-2.0-or-later
//
// The description of a machine in a file: lines `key = value  # source`. The tool and memspy-machine read the
// same files, so this needs neither libc nor memory of its own. docs/machine.md has the keys.
#pragma once

#include <cstdint>

namespace memspy::machine {

inline constexpr unsigned kMaxLevels = 4;
inline constexpr unsigned kMaxTlbs = 2;

struct CacheDescription {
    std::uint64_t size = 0, line = 64, ways = 0;
    std::uint64_t cycles = 0;  // from load to use
    std::uint64_t shared = 1;  // by this many hardware threads; 0: by all of a node
    bool inclusive = false;    // a line that it evicts leaves the levels before it, too
    bool pseudo_lru = false;   // a tree of bits for each set instead of the true order of use
    bool exclusive = false;    // holds lines that the level before it evicted

    std::uint64_t sets() const { return size / line / ways; }
};

struct TlbDescription {
    std::uint64_t entries = 0, ways = 0;  // ways 0: any entry holds any page
    std::uint64_t cycles = 0;             // extra cost of a page that is not in this level but in the next
};

struct Description {
    char name[80] = {};
    CacheDescription caches[kMaxLevels];
    unsigned cache_levels = 0;
    TlbDescription tlbs[kMaxTlbs];
    unsigned tlb_levels = 0;
    std::uint64_t page = 4096;
    std::uint64_t memory_cycles = 0;
    std::uint64_t remote_cycles = 0;    // memory of another node; 0: twice the local cost
    std::uint64_t transfer_cycles = 0;  // of a line that another core has; 0: the same as memory
    bool prefetch = false;              // a stream prefetcher before the second level
};

// Returns false with `problem` and its line (from 1) if the text is not a description. Unknown keys are
// ignored: a later version may have more.
bool parse(const char* text, std::uint64_t length, Description& description, const char*& problem,
           unsigned& line);

}  // namespace memspy::machine
