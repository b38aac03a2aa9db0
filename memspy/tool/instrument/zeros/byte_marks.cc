// SPDX-License-Identifier: GPL-2.0-or-later
#include "instrument/zeros/byte_marks.h"

namespace memspy::instrument {
namespace {

constexpr usize kLeafBytes = kTalliesAt + (usize{1} << (kMarkLeafBits - kTallyBits + 3));
constexpr u32 kLeaves = static_cast<u32>(kMarkIndexMask) + 1;
constexpr Address kBytesOfWord = 32;  // the marks of this many bytes fill one word

u64 leaves[kLeaves];
u64 nobody = 0;  // the shared leaf of addresses outside the client's memory

u64 new_leaf() { return reinterpret_cast<u64>(rt::map_zeroed(kLeafBytes, "memspy.byte_marks")); }

u32 leaf_index(Address a) { return static_cast<u32>(a >> kMarkLeafBits & kMarkIndexMask); }

// Null for an address outside the client's memory.
u8* marks_byte(Address a) {
    const u64 leaf = leaves[leaf_index(a)];
    if (leaf == nobody) return nullptr;
    return reinterpret_cast<u8*>(leaf + ((a & kMarkLeafMask) >> 2));
}

u64 read_word(const u8* at) {
    u64 word;
    __builtin_memcpy(&word, at, sizeof word);
    return word;
}

Address leaf_end(Address a) { return (a | kMarkLeafMask) + 1; }

}  // namespace

void initialise_marks() {
    if (nobody != 0) return;
    nobody = new_leaf();
    for (u64& leaf : leaves) leaf = nobody;
}

void make_markable(Address begin, usize bytes) {
    if (nobody == 0 || bytes == 0) return;
    for (Address at = begin >> kMarkLeafBits; at <= (begin + bytes - 1) >> kMarkLeafBits && at < kLeaves;
         ++at)
        if (leaves[at] == nobody) leaves[at] = new_leaf();
}

u64* mark_leaves() { return leaves; }

void mark(Address a, u32 marks) {
    u8* const at = marks_byte(a);
    if (at == nullptr) return;
    u32 word;
    __builtin_memcpy(&word, at, sizeof word);
    word |= marks << 2 * (a & 3);
    __builtin_memcpy(at, &word, sizeof word);
}

u32 marks_at(Address a) {
    constexpr u32 kOwn = 0xFFFF;
    const u8* const at = marks_byte(a);
    if (at == nullptr) return 0;
    u32 word;
    __builtin_memcpy(&word, at, sizeof word);
    word = word >> 2 * (a & 3) & kOwn;
    // The rest of the marks is in the next leaf.
    if (const Address left = leaf_end(a) - a; left < 8) {
        word &= (1u << 2 * left) - 1;
        word |= marks_at(leaf_end(a)) << 2 * left & kOwn;
    }
    return word;
}

Address next_marked(Address from, Address end) {
    for (Address a = from & ~(kBytesOfWord - 1); a < end;) {
        const Address of_next_leaf = leaf_end(a);
        const Address stop = of_next_leaf < end ? of_next_leaf : end;
        if (const u8* at = marks_byte(a); at != nullptr)
            for (; a < stop; a += kBytesOfWord, at += sizeof(u64))
                if (read_word(at) != 0) return a > from ? a : from;
        a = of_next_leaf;
    }
    return end;
}

u64 take_tally(Address a, u32 part, u32 whole) {
    static_assert(kTallyBytes == kBytesOfWord);
    const u64 leaf = leaves[leaf_index(a)];
    if (leaf == nobody) return 0;
    auto* const at =
        reinterpret_cast<u64*>(leaf + kTalliesAt + ((a & kMarkLeafMask) >> kTallyBits) * sizeof(u64));
    u64 tally = *at;
    if (tally == 0) return 0;
    if (part < whole) {
        constexpr u64 kLow = 0xFFFF'FFFF;
        tally = (tally & kLow) * part / whole | (tally >> 32) * part / whole << 32;
    }
    *at -= tally;
    return tally;
}

void clear_marks(Address begin, Address end) {
    for (Address a = next_marked(begin, end); a < end; a = next_marked(a, end)) {
        u8* const at = marks_byte(a);
        if ((a & (kBytesOfWord - 1)) == 0 && end - a >= kBytesOfWord) {
            __builtin_memset(at, 0, sizeof(u64));
            take_tally(a);
            a += kBytesOfWord;
        } else {
            *at = static_cast<u8>(*at & ~(3u << 2 * (a & 3)));
            ++a;
        }
    }
}

}  // namespace memspy::instrument
