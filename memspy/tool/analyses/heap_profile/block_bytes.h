// SPDX-License-Identifier: GPL-2.0-or-later
//
// BlockBytes: for each byte of each living block whether it was loaded and stored never, once or more often.
// A byte for each: two bits for loads, two for stores, that stay at kMany.
#pragma once

#include "analyses/heap_profile/heap_rows.h"

namespace memspy::heap_profile {

class BlockBytes {
public:
    // An access of [address, address + bytes) inside the block at `block`.
    void access(Address block, usize size, Address address, usize bytes, bool loads, bool stores);
    // realloc kept bytes: they have the history of the old ones, and were loaded and stored by it.
    void moved(Address from, usize old_size, Address to, usize size);
    // What was done to a block of this size, and forgets it.
    BlockUse take(Address block, usize size);
    BlockUse use_of(Address block, usize size);  // without forgetting
    void clear();

private:
    struct ByteHistory {
        u8* at = nullptr;
        usize size = 0;
        u64 loaded = 0, stored = 0;
    };
    ByteHistory& bytes_of(Address block, usize size);
    static BlockUse use_of(const ByteHistory* bytes, usize size);
    static void release(ByteHistory& bytes);

    rt::HashMap<ByteHistory> blocks_;
    // The block of the last access, as most accesses are to the same one as that before. Null after any
    // change.
    Address last_ = 0;
    ByteHistory* found_ = nullptr;
};

}  // namespace memspy::heap_profile
