// SPDX-License-Identifier: GPL-2.0-or-later
//
// LoadedValues: what each thread last loaded from each address, byte by byte, and which bytes it ever loaded.
// It depends on neither the core nor the analysis.
//
// A thread has a table of leaves as ByteStates has; pages become real where it loads.
#pragma once

#include "analyses/waste/byte_states.h"

namespace memspy::waste {

class LoadedValues {
public:
    // The thread that loads from now on.
    void switch_to(u32 serial);
    void forget(u32 serial);  // it is gone
    void clear();
    void clear_range(Address begin, usize bytes);  // of all threads

    // Returns whether the thread loaded each of these bytes before, and last the same values.
    template <u32 bytes>
    bool loaded(Address a, const void* value) {
        using Bits = BitsOfAccess<bytes>;
        ValueLeaf* leaf = running_->leaves[state_leaf_of(a)];
        if (leaf == nullptr) [[unlikely]]
            leaf = &new_leaf(a);
        u8* const at = leaf->known + ((a & kStateLeafMask) >> 3);
        u8* const last = leaf->values + (a & kStateLeafMask);
        const auto known = read_bits<typename Bits::Octets>(at);
        const auto own = Bits::at(a);
        const bool same = __builtin_memcmp(last, value, bytes) == 0 && (known & own) == own;
        __builtin_memcpy(last, value, bytes);
        write_bits(at, static_cast<typename Bits::Octets>(known | own));
        return same;
    }

private:
    struct ValueLeaf {
        u8* values;
        u8* known;
    };
    struct ThreadValues {
        ValueLeaf* leaves[kStateLeaves];
    };
    ValueLeaf& new_leaf(Address a);
    static void empty(ThreadValues& values);

    ThreadValues* running_ = nullptr;
    rt::HashMap<ThreadValues*> threads_;  // by serial
    rt::Vector<ThreadValues*> spare_;     // with their leaves, all empty
};

}  // namespace memspy::waste
