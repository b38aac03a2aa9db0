// SPDX-License-Identifier: GPL-2.0-or-later
//
// ByteStates: for each byte of the client's memory whether it is *pending*, that is stored and not loaded
// since, and the context of that store. It depends on neither the core nor the analysis: a unit test compares
// it with a plain model (tests/unit/waste_states_test.cc).
//
// A table leads to leaves, each for 64 MiB of addresses: a bit for each byte, and a context for each *unit*
// of four. Pages of a leaf become real where something is stored. A context in which all pending bytes of a
// unit were stored stands there; where they are of several, kSplit does, and one for each byte stands in
// another array, whose pages become real where that is so. The context of a unit without pending bytes means
// nothing, so loads only clear bits.
//
// A processor that reads a part of what it has just written waits, so bits are read and written as whole
// groups of eight wherever an access lies in them.
#pragma once

#include <bit>

#include "rt/base.h"

namespace memspy::waste {

using ContextNumber = u32;
inline constexpr ContextNumber kSplit = ~u32{0};

inline constexpr unsigned kStateLeafBits = 26;
inline constexpr u32 kStateLeaves = 1u << (kClientAddressBits - kStateLeafBits);
inline constexpr Address kStateLeafMask = (Address{1} << kStateLeafBits) - 1;
inline constexpr u32 state_leaf_of(Address a) {
    return static_cast<u32>(a >> kStateLeafBits) & (kStateLeaves - 1);
}

// The types that have a bit for each of `bytes` bytes: those of aligned groups of eight, and those from any
// place in a group on.
template <u32 bytes>
struct BitsOfAccess {
    using AlignedBits = std::conditional_t<bytes <= 8, u8, std::conditional_t<bytes == 16, u16, u32>>;
    using AnyBits = std::conditional_t<bytes <= 8, u16, std::conditional_t<bytes == 16, u32, u64>>;
    static constexpr u64 kOnes = (u64{1} << bytes) - 1;
    static bool is_aligned(Address a) { return bytes == 1 || (a & 7) + bytes <= 8 * sizeof(AlignedBits); }
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
    // A bit for each byte of the leaf of `a`: who loads a byte clears it.
    u8* pending_of_leaf(Address a) { return leaf_of(a).pending; }
    // Stores to bytes of which none is pending, if their context has room there; false: nothing is done.
    template <u32 bytes>
    bool store_new(Address a, ContextNumber context) {
        using Bits = BitsOfAccess<bytes>;
        using OwnBits = Bits::AlignedBits;
        StateLeaf* const leaf = leaves_[state_leaf_of(a)];
        if (leaf == nullptr || !Bits::is_aligned(a)) [[unlikely]]
            return false;
        const usize offset = a & kStateLeafMask;
        u8* const at = leaf->pending + (offset >> 3);
        const auto pending = read_bits<OwnBits>(at);
        const auto own = static_cast<OwnBits>(Bits::kOnes << (a & 7));
        if ((pending & own) != 0) return false;
        u32* const unit = leaf->units + (offset >> 2);
        if constexpr (bytes >= 4) {
            if ((a & 3) != 0) return false;
            for (u32 i = 0; i < bytes / 4; ++i) unit[i] = context;
        } else {
            if ((a & 3) + bytes > 4 || ((pending >> (a & 4) & 15) != 0 && *unit != context)) return false;
            *unit = context;
        }
        write_bits(at, static_cast<OwnBits>(pending | own));
        return true;
    }
    // Of a power of two. Calls killed(first byte, context, bytes) for those that were pending.
    template <u32 bytes, typename Killed>
    void stored(Address a, ContextNumber context, Killed killed) {
        using Bits = BitsOfAccess<bytes>;
        if (Bits::is_aligned(a)) [[likely]]
            stored_as<bytes, typename Bits::AlignedBits>(a, context, killed);
        else
            stored_as<bytes, typename Bits::AnyBits>(a, context, killed);
    }
    // Returns how many were pending.
    u64 loaded_range(Address begin, usize bytes) {
        u64 pending = 0;
        ended(begin, bytes, [&](Address, ContextNumber, u32 count) { pending += count; });
        return pending;
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
    // The bytes lie at `to` from now on, where none was pending. Both begin at a group of eight; what lies
    // behind them in their last group is not pending.
    void moved(Address from, Address to, usize bytes);
    void clear();  // no byte is pending

private:
    struct StateLeaf {
        u32* units;
        u8* pending;
        ContextNumber* parts;  // of split units, by byte
    };

    template <u32 bytes, typename Octets, typename Killed>
    void stored_as(Address a, ContextNumber context, Killed& killed) {
        StateLeaf& leaf = leaf_of(a);
        const usize offset = a & kStateLeafMask;
        u8* const at = leaf.pending + (offset >> 3);
        const auto pending = read_bits<Octets>(at);
        const auto own = static_cast<Octets>(BitsOfAccess<bytes>::kOnes << (a & 7));
        if ((pending & own) != 0) tell(leaf, a & ~Address{7}, pending & own, killed);
        u32* const unit = leaf.units + (offset >> 2);
        if (bytes >= 4 && (a & 3) == 0) {
            for (u32 i = 0; i < bytes / 4; ++i) unit[i] = context;
        } else {
            const u64 others = static_cast<u64>(pending) & ~u64{own};
            for (usize first = offset & ~usize{3}; first < offset + bytes; first += 4) {
                u32& part = leaf.units[first >> 2];
                if ((others >> (first - (offset & ~usize{7})) & 15) == 0 || part == context)
                    part = context;
                else
                    split(leaf, first, context, offset, bytes);
            }
        }
        write_bits(at, static_cast<Octets>(pending | own));
    }
    StateLeaf& leaf_of(Address a) {
        StateLeaf* const leaf = leaves_[state_leaf_of(a)];
        return leaf != nullptr ? *leaf : new_leaf(a);
    }
    StateLeaf& new_leaf(Address a);
    // A part of the unit at `first` is stored to, and others of its bytes are pending. Offsets in the leaf.
    static void split(StateLeaf& leaf, usize first, ContextNumber context, usize offset, u32 bytes) {
        u32& unit = leaf.units[first >> 2];
        ContextNumber* const parts = leaf.parts + first;
        if (unit != kSplit)
            for (u32 i = 0; i < 4; ++i) parts[i] = unit;
        for (u32 i = 0; i < 4; ++i)
            if (first + i - offset < bytes) parts[i] = context;
        unit = kSplit;
    }
    // Runs of one context among the bytes of the set `bits`, whose first bit is that of `base`, at a group of
    // eight.
    template <typename Killed>
    static void tell(const StateLeaf& leaf, Address base, u64 bits, Killed& killed) {
        constexpr u8 kOnes[16] = {0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4};
        Address first = 0;
        ContextNumber context = 0;
        u32 run = 0;
        const auto add = [&](Address a, ContextNumber of, u32 bytes) {
            if (run != 0 && of != context) {
                killed(first, context, run);
                run = 0;
            }
            if (run == 0) first = a;
            run += bytes;
            context = of;
        };
        while (bits != 0) {
            const u32 place = static_cast<u32>(std::countr_zero(bits));
            const usize offset = (base + place) & kStateLeafMask;
            if (const u32 unit = leaf.units[offset >> 2]; unit != kSplit) {
                const u64 all = u64{15} << (place & ~3u);
                add(base + place, unit, kOnes[(bits & all) >> (place & ~3u)]);
                bits &= ~all;
            } else {
                add(base + place, leaf.parts[offset], 1);
                bits &= bits - 1;
            }
        }
        if (run != 0) killed(first, context, run);
    }

    StateLeaf* leaves_[kStateLeaves] = {};
};

}  // namespace memspy::waste
