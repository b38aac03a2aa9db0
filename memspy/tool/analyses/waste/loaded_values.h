// SPDX-License-Identifier: GPL-2.0-or-later
//
// LoadedValues: what each thread last loaded from each address, byte by byte, and which bytes it ever loaded.
// It depends on neither the core nor the analysis.
//
// A thread has a table of leaves as ByteStates has; pages become real where it loads. Most loads find all
// bytes known and none pending: for these nothing changes but values.
#pragma once

#include "analyses/waste/byte_states.h"
#include "rt/hash_map.h"
#include "rt/vector.h"

namespace memspy::waste {

class LoadedValues {
public:
    // Call before any other.
    void start(ByteStates& states) { states_ = &states; }
    // The thread that loads from now on.
    void switch_to(u32 serial);
    void forget(u32 serial);                       // it is gone
    void clear();                                  // nothing was loaded
    void clear_range(Address begin, usize bytes);  // of all threads
    // What was loaded from `from` was loaded from `to`. Both begin at a group of eight.
    void moved(Address from, Address to, usize bytes);

    // Where the last values of an access are, if the thread loaded all its bytes before and none is pending;
    // else null.
    template <u32 bytes>
    u8* find_known(Address a) const {
        using LeafBits = BitsOfAccess<bytes>::AnyBits;
        const ValueLeaf& leaf = running_->leaves[state_leaf_of(a)];
        if (leaf.values == nullptr) [[unlikely]]
            return nullptr;
        const usize offset = a & kStateLeafMask, group = offset >> 3;
        const u64 known = read_bits<LeafBits>(leaf.values + kKnownAt + group);
        const u64 pending = read_bits<LeafBits>(leaf.pending + group);
        const u64 other = (~known | pending) >> (a & 7);
        return (other & BitsOfAccess<bytes>::kOnes) == 0 ? leaf.values + offset : nullptr;
    }
    struct LoadOutcome {
        u64 same;   // 1: the thread loaded each of these bytes before, and last the same values; else 0
        u64 known;  // 1: it loaded each of them before
        u32 used;   // bytes that were pending
    };
    // The bytes are pending no more.
    template <u32 bytes>
    LoadOutcome loaded(Address a, const void* value) {
        using AccessBits = BitsOfAccess<bytes>;
        ValueLeaf& leaf = leaf_of(a);
        LoadOutcome outcome = AccessBits::is_aligned(a)
                                  ? note<bytes, typename AccessBits::AlignedBits>(leaf, a)
                                  : note<bytes, typename AccessBits::AnyBits>(leaf, a);
        u8* const last = leaf.values + (a & kStateLeafMask);
        outcome.same = outcome.known & is_same<bytes>(last, value);
        __builtin_memcpy(last, value, bytes);
        return outcome;
    }
    // 1 or 0, without a branch, which nobody could foresee.
    template <u32 bytes>
    static u64 is_same(const void* left, const void* right) {
        using ValueWord =
            std::conditional_t<bytes == 1, u8,
                               std::conditional_t<bytes == 2, u16, std::conditional_t<bytes == 4, u32, u64>>>;
        u64 different = 0;
        for (u32 i = 0; i < bytes; i += sizeof(ValueWord))
            different |= u64{read_bits<ValueWord>(static_cast<const u8*>(left) + i)} ^
                         u64 { read_bits<ValueWord>(static_cast<const u8*>(right) + i) };
        return different == 0;
    }

private:
    static constexpr usize kPad = 64;  // an access reads and writes whole words that start at any byte
    static constexpr usize kKnownAt = (usize{1} << kStateLeafBits) + kPad;
    static constexpr usize kKnownBytes = (usize{1} << (kStateLeafBits - 3)) + kPad;
    struct ValueLeaf {
        u8* values;   // and behind them, from kKnownAt on, a bit for each byte that was loaded
        u8* pending;  // of ByteStates
    };
    struct ThreadValues {
        ValueLeaf leaves[kStateLeaves];
    };
    ValueLeaf& leaf_of(Address a) {
        ValueLeaf& leaf = running_->leaves[state_leaf_of(a)];
        if (leaf.values == nullptr) make_leaf(leaf, a);
        return leaf;
    }
    template <u32 bytes, typename Octets>
    static LoadOutcome note(const ValueLeaf& leaf, Address a) {
        u8* const known = leaf.values + kKnownAt + ((a & kStateLeafMask) >> 3);
        u8* const pending = leaf.pending + ((a & kStateLeafMask) >> 3);
        const auto own = static_cast<Octets>(BitsOfAccess<bytes>::kOnes << (a & 7));
        const auto before = read_bits<Octets>(known);
        write_bits(known, static_cast<Octets>(before | own));
        const auto stored = read_bits<Octets>(pending);
        write_bits(pending, static_cast<Octets>(stored & ~own));
        return {0, (own & ~before) == 0, static_cast<u32>(std::popcount(static_cast<Octets>(stored & own)))};
    }
    void make_leaf(ValueLeaf& leaf, Address a);
    static void empty(ThreadValues& values);

    ByteStates* states_ = nullptr;
    ThreadValues* running_ = nullptr;
    rt::HashMap<ThreadValues*> threads_;  // by serial
    rt::Vector<ThreadValues*> spare_;     // with their leaves, all empty
};

}  // namespace memspy::waste
