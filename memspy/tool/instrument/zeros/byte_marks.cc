// SPDX-License-Identifier: GPL-2.0-or-later
#include "instrument/zeros/byte_marks.h"

namespace memspy::instrument {
namespace {

constexpr usize kLeafBytes = kTalliesAt + (usize{1} << (kMarkLeafBits - kTallyBits + 3));
constexpr u32 kLeaves = static_cast<u32>(kMarkIndexMask) + 1 + kKeptMarkLeaves;
constexpr Address kBytesOfWord = 32;  // the marks of this many bytes fill one word

u64 leaves[kLeaves];
u64 nobody = 0;  // the shared leaf of addresses outside the client's memory

u64 new_leaf() { return reinterpret_cast<u64>(rt::map_zeroed(kLeafBytes, "memspy.byte_marks")); }

u32 leaf_index(Address a) {
    const u64 index = a >> kMarkLeafBits;
    return static_cast<u32>(index < kLeaves ? index : index & kMarkIndexMask);
}

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

namespace {

constexpr Address kEight = 8;

// Of four bytes around `a` only the second or third was loaded, or all but the first or third: what is loaded is
// not aligned.
bool has_odd_bytes(Address a) {
    u64 word = read_word(marks_byte(a & ~(kBytesOfWord - 1))) & kLoadedBits;
    for (; word != 0; word >>= 8)
        if (const u64 four = word & 0xFF; four == 0x04 || four == 0x10 || four == 0x54 || four == 0x45)
            return true;
    return false;
}

// `bits` are those at `a`.
bool is_double(u32 bits, Address a) { return (bits & kDoubleMask) == kDoubleMark && !has_odd_bytes(a); }
bool is_float(u32 bits, Address a) { return (bits & kFloatMask) == kFloatMark && !has_odd_bytes(a); }

// The bits of eight bytes from an address that is a multiple of that.
u32 bits_at(Address a) {
    const u8* const at = marks_byte(a);
    if (at == nullptr) return 0;
    u16 bits;
    __builtin_memcpy(&bits, at, sizeof bits);
    return bits;
}

// A sum of bits at places.
template <typename... Places>
u32 count_of(u32 bits, Places... places) {
    return ((bits >> places & 1) + ...);
}

// The marks of a float's four bytes.
u32 bytes_of_float(u32 bits) {
    const bool exponent = (bits >> 7 & 1) != 0, sign = (bits >> kSignOfFloat & 1) != 0;
    u32 marks = 0x55 | (bits & 0x2A);
    if (exponent) marks |= 1u << 5;
    if (exponent || sign) marks |= 1u << 7;
    return marks;
}

u32 bytes_of_double(u32 bits) {
    const bool low = (bits >> 15 & 1) != 0;
    u32 marks = static_cast<u32>(kLoadedBits & 0xFFFF) | (bits & 0x2AAA);
    if (low) marks |= 1u << 13;
    if (low || count_of(bits, kHighExponentOfDouble, kSignOfDouble) != 0) marks |= 1u << 15;
    return marks;
}

u32 bytes_of(u32 bits, Address a) {
    if (is_double(bits, a)) return bytes_of_double(bits);
    for (u32 half = 0; half < 2; ++half)
        if (const u32 own = bits >> 8 * half & 0xFF; is_float(own, a))
            bits = (bits & ~(0xFFu << 8 * half)) | bytes_of_float(own) << 8 * half;
    return bits;
}

}  // namespace

u32 marks_at(Address a) {
    const u32 offset = static_cast<u32>(a % kEight);
    const u32 low = bytes_of(bits_at(a - offset), a - offset);
    if (offset == 0) return low;
    const Address next = a - offset + kEight;
    const u32 high = bytes_of(bits_at(next), next);
    return (low | high << 16) >> 2 * offset & 0xFFFF;
}

CellCounts cells_between(Address begin, Address end) {
    CellCounts counts;
    const auto add = [&](u32 cells, u32 significant) {
        counts.loaded += cells;
        counts.redundant += cells - significant;
    };
    for (Address a = next_marked(begin, end); a < end; a = next_after(a, end)) {
        a &= ~(kEight - 1);
        const u32 bits = bits_at(a);
        const bool whole = a >= begin && end - a >= kEight;
        const bool doubles = is_double(bits, a);
        if (whole && doubles) {
            add(kCellsOfDouble,
                count_of(bits, 1u, 3u, 5u, 7u, 9u, 11u, 13u, 15u, kHighExponentOfDouble, kSignOfDouble));
        } else {
            u32 marks = bytes_of(bits, a);
            for (u32 half = 0; half < 2; ++half) {
                const Address at = a + 4 * half;
                const u32 own = bits >> 8 * half & 0xFF;
                if (doubles || !is_float(own, a) || at < begin || at + 4 > end) continue;
                add(kCellsOfFloat, count_of(own, 1u, 3u, 5u, 7u, kSignOfFloat));
                marks &= ~(0xFFu << 8 * half);
            }
            for (u32 i = 0; i < kEight; ++i)
                if (a + i >= begin && a + i < end && (marks >> 2 * i & 1) != 0)
                    add(1, marks >> (2 * i + 1) & 1);
        }
    }
    return counts;
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

namespace {

// Number of bytes that were loaded.
u32 loaded_bytes(u64 marks) {
    u64 bits = marks & kLoadedBits;
    bits = (bits & 0x3333'3333'3333'3333u) + (bits >> 2 & 0x3333'3333'3333'3333u);
    bits = (bits + (bits >> 4)) & 0x0F0F'0F0F'0F0F'0F0Fu;
    return static_cast<u32>(bits * 0x0101'0101'0101'0101u >> 56);
}

void add_tally(Address a, u64 tally) {
    const u64 leaf = leaves[leaf_index(a)];
    if (leaf == nobody) return;
    *reinterpret_cast<u64*>(leaf + kTalliesAt + ((a & kMarkLeafMask) >> kTallyBits) * sizeof(u64)) += tally;
}

}  // namespace

void move_marks(Address begin, Address end, Address to) {
    constexpr Address kHalf = 16;  // its marks fill half a word
    for (Address a = next_marked(begin, end); a < end; a = next_marked(a, end)) {
        const Address half = a - a % kHalf;
        u64 mine = half < begin ? 0 : bits_at(half) | u64{bits_at(half + kEight)} << 16;
        if (end - half < kHalf) mine &= (u64{1} << 2 * (end - half)) - 1;
        if (mine != 0) {
            const u64 all = read_word(marks_byte(half - half % kBytesOfWord));
            const Address kept = to + (half - begin);
            add_tally(kept, take_tally(half, loaded_bytes(mine), loaded_bytes(all)));
            mark(kept, static_cast<u32>(mine & 0xFFFF));
            mark(kept + 8, static_cast<u32>(mine >> 16));
            u32 rest;
            u8* const at = marks_byte(half);
            __builtin_memcpy(&rest, at, sizeof rest);
            rest &= static_cast<u32>(~mine);
            __builtin_memcpy(at, &rest, sizeof rest);
        }
        a = half + kHalf;
    }
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
