// SPDX-License-Identifier: GPL-2.0-or-later
//
// LineUses: what this process did to lines of shared files. A record for each line and site has its loads and stores,
// and which of the line's bytes they touched. The site of an access is its instruction with the stack pointer.
//
// Lines have kLineBytes bytes, whatever --line-size says: the bytes of a line are the bits of a word.
#pragma once

#include "rt/hash_map.h"
#include "rt/paged_array.h"
#include "rt/vector.h"

namespace memspy::shared_memory {

inline constexpr u32 kLineBytes = 64;

struct SharedUse {
    u64 loads = 0, stores = 0;
    u64 loaded = 0, stored = 0;  // bytes of the line
    bool operator==(const SharedUse&) const = default;
};

// Lines side by side that one site used equally.
struct LineStretch {
    u32 file = 0, site = 0;
    u64 line = 0, lines = 1;  // the first one's number in the file
    SharedUse use;            // of each
    u64 accesses_of_each() const { return use.loads + use.stores; }
};

class LineUses {
public:
    // More lines with their sites are only counted: 48 MB.
    static constexpr u32 kMostUses = 1u << 20;
    // More sites than the first have the stack of another one with the same instruction; more than the second are one.
    static constexpr u32 kStackedSites = 4096, kMostSites = 1 << 13;
    // A profile's elements: about 1 MB at the most.
    static constexpr usize kMostStretches = 1u << 15;

    // The number of the site. `stack`: makes the stack of a new one.
    template <typename MakeStack>
    u32 site(Address instruction, Address stack_pointer, MakeStack&& stack) {
        RecentSite& recent = recent_sites_[(instruction ^ instruction >> 6 ^ stack_pointer >> 3) % kRecent];
        if (instruction == recent.instruction && stack_pointer == recent.stack_pointer) return recent.site;
        const u64 key =
            instruction * 0x9E3779B97F4A7C15u ^ (sites_.size() < kStackedSites ? stack_pointer : 0);
        u32& number = numbers_[key];
        if (number == 0) {
            if (sites_.size() < kMostSites) sites_.push_back(stack());
            number = static_cast<u32>(sites_.size());
        }
        recent = {instruction, stack_pointer, number - 1};
        return recent.site;
    }
    // An access of bytes [offset, offset + bytes) of the file.
    void add(u32 file, u32 site, u64 offset, u64 bytes, bool loads, bool stores);
    // All stretches, by file and line: the kMostStretches whose lines have most accesses.
    void stretches(rt::Vector<LineStretch>& to);
    ContextId stack(u32 site) const { return sites_[site]; }
    bool empty() const { return uses_.size() == 0; }
    u64 left_out() const { return left_out_; }  // accesses, or stretches, that are not in the profile
    void clear();                               // uses alone

private:
    struct KeyedUse {
        u64 key;
        SharedUse use;
    };
    static constexpr u32 kSiteBits = 13, kLineBits = 38, kFileBits = 64 - kSiteBits - kLineBits;
    static_assert(kMostSites <= 1u << kSiteBits);
    SharedUse* find(u32 file, u32 site, u64 line);

    rt::HashMap<u32> numbers_;  // of sites, from 1; by instruction and stack pointer
    rt::Vector<ContextId> sites_;
    rt::HashMap<u32> indices_;
    rt::PagedArray<KeyedUse, 1u << 14> uses_;
    // What was met last: uses by line and site, and sites.
    static constexpr u32 kRecent = 256;
    struct RecentSite {
        Address instruction, stack_pointer;
        u32 site;
    };
    RecentSite recent_sites_[kRecent] = {};
    KeyedUse* recent_[kRecent] = {};
    u64 left_out_ = 0;
};

}  // namespace memspy::shared_memory
