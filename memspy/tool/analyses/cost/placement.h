// SPDX-License-Identifier: GPL-2.0-or-later
//
// Placement: how many of an object's lines would come from another node's memory if its pages had other
// homes. Caches do not depend on homes, so the lines that each node fetched of each page tell it exactly:
//
//   touched by users  each page is on the node that fetched most of its lines: as if its main user touched it first
//   interleaved       page p is on node p modulo the number of nodes
//   replicated        each node that uses a page has a copy; its lines have to be copied once for each further node
//
// Counted is what happens while there are several threads: what the first thread did alone, before, is the
// first touch that another one would do instead. A line that still is in the cache of a node that has not
// used its page since comes from that node as if from memory; other lines that threads take from each other
// have no better home.
//
// No Valgrind here.
#pragma once

#include "rt/hash_map.h"
#include "rt/vector.h"

namespace memspy::cost {

struct PlacementStudy {
    u64 lines = 0;                    // that came from memory
    u64 taken = 0, taken_remote = 0;  // from the cache of a thread that uses the page, wherever that is
    u64 remote = 0, remote_touched = 0, remote_interleaved = 0;
    u64 copied = 0;                            // lines, for copies
    u64 busiest = 0, busiest_interleaved = 0;  // lines from the node that gave most
    u64 late_stores = 0;                       // when several nodes had used the object
};

// Of the lines that another thread has set: the first uses by the thread that came first to their page. If it set
// them itself, it would find them where its caches still have them.
struct FirstUses {
    u32 object = 0, thread = 0, node = 0;
    u64 lines = 0, remote = 0, cycles = 0;
};

enum class PlacementAdvice : u8 { None, TouchByUsers, Replicate, Interleave };

// At least 1 in kLeastShare lines, those taken from others' caches among them, is remote for its page's home,
// and kFewest are. `nodes`: of the machine.
PlacementAdvice advise(const PlacementStudy& study, u32 nodes);
inline constexpr u64 kLeastShare = 20, kFewest = 16;

// All zeros is one without objects. Objects go by number.
class PageUses {
public:
    void start(u32 nodes) { nodes_ = nodes; }
    void clear();
    // An access by a thread of the node. Returns the place of the page, for fetched().
    u32 accessed(u32 object, u64 page, u32 node, bool stores);
    // A line came from the memory of `home`, or from a cache there.
    void fetched(u32 place, u32 node, u32 home, bool from_cache);

    // A use of a line, `group` of up to 64 of its page, by a thread that does not set it for others. Only the first
    // counts.
    void used(u32 place, u32 group, u32 thread, u32 node, u64 cycles, bool remote);
    // By object and thread.
    void first_uses(rt::Vector<FirstUses>& all) const;

    // By object; objects that nobody accessed are not there.
    void study(rt::Vector<PlacementStudy>& studies, u64 lines_of_page);

private:
    struct ObjectUse {
        u64 nodes = 0;  // a bit for each
        u64 late_stores = 0, remote = 0;
        u64 taken = 0, taken_remote = 0;
    };
    ObjectUse& use_of(u32 object);
    u32 place_of(u32 object, u64 page);

    u32 nodes_ = 1;
    rt::Vector<ObjectUse> objects_;
    struct UsedPage {
        u64 page;
        u64 nodes;  // that used it
        u32 object;
        u64 used_lines = 0;  // a bit for each
        FirstUses first = {};
    };
    static constexpr u32 kKnown = 1 << 10;
    u32 known_[kKnown] = {};  // places found lately, by page
    rt::Vector<UsedPage> pages_;
    rt::HashMap<u32> page_numbers_;  // mixed page and object -> number + 1
    rt::Vector<u32> fetched_;        // by page and node
    rt::Vector<u32> given_;          // by page and home
};

}  // namespace memspy::cost
