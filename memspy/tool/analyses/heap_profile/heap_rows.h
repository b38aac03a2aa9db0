// SPDX-License-Identifier: GPL-2.0-or-later
//
// HeapRows: what the heap profile counts, by allocation context, from events with their times in
// instructions. It depends on neither the core nor the heap: a unit test feeds it
// (tests/unit/heap_rows_test.cc).
//
// Counting follows DHAT, so that figures can be compared: realloc is one more allocation of the new size in
// the block's first context, whose block keeps its age; the peak is the last of several equal ones.
//
// A row's share of the peak is taken when the row changes next: until then its live bytes are those of the
// peak. So a new peak costs nothing, however many contexts there are.
#pragma once

#include "rt/hash_map.h"
#include "rt/vector.h"

namespace memspy::heap_profile {

// What was done to the bytes of blocks (--heap-profile=accesses).
struct BlockUse {
    u64 loaded = 0, stored = 0;                            // by accesses, each byte as often as it was
    u64 never_read = 0, never_written = 0, used_once = 0;  // used_once: stored once and loaded once
    u64 unused_end = 0;  // bytes behind the last one of a block that was loaded or stored
    void add(const BlockUse& other);
};

struct HeapRow {
    ContextId context{};
    bool custom = false;  // blocks of the program's own allocator, told by requests: not in the totals
    u64 blocks = 0, bytes = 0;
    u64 live_blocks = 0, live_bytes = 0;
    u64 max_bytes = 0;                    // the row's own peak
    u64 peak_blocks = 0, peak_bytes = 0;  // at the program's peak
    u64 temporary = 0, lifetimes = 0;     // blocks; sum in instructions
    u64 resized = 0, copied = 0;          // reallocs, and the bytes that they kept
    u64 grown = 0,
        grown_bytes = 0;  // blocks that took the place of a smaller one, which was freed next; its bytes
    u64 least = ~u64{0}, most = 0;  // size
    BlockUse use{};
    u32 peak_seen = 0;  // the number of the peak that peak_bytes are of
};

struct HeapTotal {
    u64 blocks = 0, bytes = 0, live_blocks = 0, live_bytes = 0;
    u64 peak_blocks = 0, peak_bytes = 0, peak_time = 0;
    u64 end_time = 0;
};

// A block that lives. `row` is its number.
struct LiveBlock {
    u32 row = 0;
    u64 size = 0, born = 0;
};

class HeapRows {
public:
    explicit HeapRows(u64 temporary_below) : temporary_below_(temporary_below) {}

    // Blocks of a custom allocator lie in others, perhaps at their start.
    void allocated(Address block, u64 size, ContextId context, bool custom, u64 now);
    void resized(Address from, Address to, u64 size, u64 now);
    // `use` is added to the block's row. A block that is not known is none of the profile's.
    void released(Address block, bool custom, const BlockUse& use, u64 now);

    // Brings the totals and the rows of the peak up to date, as if the run ended now.
    void settle(u64 now);
    // The rows with the lifetimes of blocks that live on. Call settle() first.
    void copy_rows(rt::Vector<HeapRow>& to, u64 now);
    // Calls f(address, row) for each block that lives, of the allocator or custom.
    template <typename F>
    void for_each_live(F f) {
        live_.for_each([&](u64 key, LiveBlock& block) {
            if (key % 2 == 0) f(static_cast<Address>(key / 2), block);
        });
    }
    // Null: it is none of the profile's. Valid until the next event.
    const LiveBlock* find_live(Address block, bool custom) { return live_.find(key_of(block, custom)); }
    const rt::Vector<HeapRow>& rows() const { return rows_; }
    const HeapTotal& total() const { return total_; }
    void clear();

private:
    static u64 key_of(Address block, bool custom) { return u64{block} << 1 | u64{custom}; }
    u32 row_of(ContextId context, bool custom);
    void before_change(HeapRow& row);
    void changed(HeapRow& row, i64 blocks, i64 bytes, u64 now);
    void count(HeapRow& row, u64 size);
    void pass_peak();
    void end_life(HeapRow& row, const LiveBlock& block, u64 now) const;

    u64 temporary_below_;
    rt::Vector<HeapRow> rows_;
    rt::HashMap<u32> numbers_;  // by context and kind: the row's number + 1
    rt::HashMap<LiveBlock> live_;
    HeapTotal total_;
    u32 peaks_ = 0;     // that were passed
    u64 last_key_ = 0;  // of the last event, if it was an allocation
};

}  // namespace memspy::heap_profile
