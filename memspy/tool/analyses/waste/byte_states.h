// SPDX-License-Identifier: GPL-2.0-or-later
//
// ByteStates: for each byte of the client's memory whether it is *pending*, that is stored and not loaded
// since, and the context of that store. It depends on neither the core nor the analysis: a unit test compares
// it with a plain model (tests/unit/waste_states_test.cc).
//
// A table leads to leaves, each for 64 MiB of addresses: a bit for each byte, and a context for each *unit*
// of four. Pages of a leaf become real where something is stored. A context in which all pending bytes of a
// unit were stored stands there; where they are of several, kSplit does, and a table by address has one for
// each byte. The context of a unit without pending bytes means nothing, so loads only clear bits.
#pragma once

#include <bit>

#include "rt/hash_map.h"

namespace memspy::waste {

using ContextNumber = u32;
inline constexpr ContextNumber kSplit = ~u32{0};

inline constexpr unsigned kStateLeafBits = 26;
inline constexpr u32 kStateLeaves = 1u << (kClientAddressBits - kStateLeafBits);
inline constexpr Address kStateLeafMask = (Address{1} << kStateLeafBits) - 1;
inline constexpr u32 state_leaf_of(Address a) {
    return static_cast<u32>(a >> kStateLeafBits) & (kStateLeaves - 1);
}

// The type that has a bit for each of `bytes` bytes, from any place in a group of eight on.
template <u32 bytes>
struct BitsOfAccess {
    using Octets = std::conditional_t<bytes <= 8, u16, std::conditional_t<bytes == 16, u32, u64>>;
    static constexpr u64 kOnes = (u64{1} << bytes) - 1;
    static Octets at(Address a) { return static_cast<Octets>(kOnes << (a & 7)); }
};
template <typename T>
T read_bits(const u8* from) {
    T bits;
    __builtin_memcpy(&bits, from, sizeof bits);
    return bits;
}
template <typename T>
void write_bits(u8* to, T bits) {
    __builtin_memcpy(to, &bits, sizeof bits);
}

class ByteStates {
public:
    // The bytes are pending no more.
    template <u32 bytes>
    void loaded(Address a) {
        using Bits = BitsOfAccess<bytes>;
        const StateLeaf* const leaf = leaves_[state_leaf_of(a)];
        if (leaf == nullptr) [[unlikely]]
            return;
        u8* const at = leaf->pending + ((a & kStateLeafMask) >> 3);
        write_bits(at,
                   static_cast<typename Bits::Octets>(read_bits<typename Bits::Octets>(at) & ~Bits::at(a)));
    }
    // Of a power of two. Calls killed(first byte, context, bytes) for those that were pending.
    template <u32 bytes, typename Killed>
    void stored(Address a, ContextNumber context, Killed killed) {
        using Bits = BitsOfAccess<bytes>;
        StateLeaf& leaf = leaf_of(a);
        u8* const at = leaf.pending + ((a & kStateLeafMask) >> 3);
        const auto pending = read_bits<typename Bits::Octets>(at);
        const auto own = Bits::at(a);
        if ((pending & own) != 0) tell(leaf, a & ~Address{7}, pending & own, killed);
        u32* const unit = leaf.units + ((a & kStateLeafMask) >> 2);
        if (bytes >= 4 && (a & 3) == 0) {
            for (u32 i = 0; i < bytes / 4; ++i) unit[i] = context;
        } else {
            const u64 others = static_cast<u64>(pending) & ~u64{own};
            for (Address first = a & ~Address{3}; first < a + bytes; first += 4)
                set_part(unit[(first - (a & ~Address{3})) / 4], first, context, a, bytes,
                         static_cast<u32>(others >> (first - (a & ~Address{7}))) & 15);
        }
        write_bits(at, static_cast<typename Bits::Octets>(pending | own));
    }
    void loaded_range(Address begin, usize bytes) {
        ended(begin, bytes, [](Address, ContextNumber, u32) {});
    }
    template <typename Killed>
    void stored_range(Address begin, usize bytes, ContextNumber context, Killed killed) {
        const Address end = begin + bytes;
        while (begin < end) {
            if ((begin & 7) == 0 && end - begin >= 8) {
                stored<8>(begin, context, killed);
                begin += 8;
            } else {
                stored<1>(begin++, context, killed);
            }
        }
    }
    // The life of the bytes is over: they are killed as by a store, but not stored to.
    template <typename Killed>
    void ended(Address begin, usize bytes, Killed killed) {
        const Address end = begin + bytes;
        for (Address at = begin & ~Address{63}; at < end; at += 64) {
            const StateLeaf* const leaf = leaves_[state_leaf_of(at)];
            if (leaf == nullptr) {
                at = at | (kStateLeafMask - 63);
                continue;
            }
            u8* const word = leaf->pending + ((at & kStateLeafMask) >> 3);
            const u64 all = read_bits<u64>(word);
            if (all == 0) continue;
            u64 own = all;
            if (at < begin) own &= ~u64{0} << (begin - at);
            if (end - at < 64) own &= (u64{1} << (end - at)) - 1;
            if (own == 0) continue;
            tell(*leaf, at, own, killed);
            write_bits(word, all & ~own);
        }
    }
    void clear();

private:
    struct StateLeaf {
        u32* units;
        u8* pending;
    };
    struct SplitContexts {
        ContextNumber of[4];
    };

    StateLeaf& leaf_of(Address a) {
        StateLeaf* const leaf = leaves_[state_leaf_of(a)];
        return leaf != nullptr ? *leaf : new_leaf(a);
    }
    StateLeaf& new_leaf(Address a);
    // A part of the unit at `first` is stored to; `others` of its bytes are pending.
    void set_part(u32& unit, Address first, ContextNumber context, Address a, u32 bytes, u32 others) {
        if (others == 0 || unit == context)
            unit = context;
        else
            split(unit, first, context, a, bytes);
    }
    void split(u32& unit, Address first, ContextNumber context, Address a, u32 bytes);
    ContextNumber context_of(const StateLeaf& leaf, Address a) {
        const u32 unit = leaf.units[(a & kStateLeafMask) >> 2];
        return unit != kSplit ? unit : split_[a & ~Address{3}].of[a & 3];
    }
    // Runs of one context among the bytes of the set `bits`, whose first bit is that of `base`.
    template <typename Killed>
    void tell(const StateLeaf& leaf, Address base, u64 bits, Killed& killed) {
        Address first = 0;
        ContextNumber context = 0;
        u32 run = 0;
        while (bits != 0) {
            const Address a = base + static_cast<u32>(std::countr_zero(bits));
            const ContextNumber of = context_of(leaf, a);
            if (run != 0 && of != context) {
                killed(first, context, run);
                run = 0;
            }
            if (run++ == 0) first = a;
            context = of;
            bits &= bits - 1;
        }
        if (run != 0) killed(first, context, run);
    }

    StateLeaf* leaves_[kStateLeaves] = {};
    rt::HashMap<SplitContexts>
        split_;  // by the unit's address; those of units that are whole again are stale
};

}  // namespace memspy::waste
