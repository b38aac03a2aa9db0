// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyses/zeros/sites.h"

#include "analyses/zeros/client_memory.h"
#include "analyses/zeros/redundancy.h"
#include "rt/global.h"
#include "rt/hash_map.h"
#include "rt/paged_array.h"

namespace memspy::zeros {
namespace {

rt::Global<rt::PagedArray<Site, 4096>> sites;
// By (instruction, type): the number of the site plus one. The upper byte of addresses is free for the type.
rt::Global<rt::HashMap<u32>> numbers;
// By (instruction, bytes loaded): the type if it is known.
rt::Global<rt::HashMap<ValueType>> known_types;

u64 key_of(Address instruction, u32 more) { return u64{instruction} | u64{more} << 56; }

using instrument::kLastValues;

constexpr u32 kHalf = instrument::kHalfOfDouble;

template <typename Word>
Word element(const void* data, u32 i) {
    Word word;
    __builtin_memcpy(&word, static_cast<const u8*>(data) + i * sizeof(Word), sizeof(Word));
    return word;
}

template <typename Word>
void count_integers(u64* counters, u32 lanes, const void* data) {
    for (u32 i = 0; i < lanes; ++i) {
        const Word value = element<Word>(data, i);
        const u32 zeros = leading_zero_bytes(value, sizeof(Word));
        ++counters[zeros];
        if constexpr (sizeof(Word) == 8) counters[kLastValues + zeros] = value;
    }
}

// The number of bytes of a word that are zero: a byte below 0x80 has its highest bit set in the sum unless it
// is.
u32 zero_bytes(u64 word) {
    constexpr u64 kLow = 0x7F7F'7F7F'7F7F'7F7Fu, kOnes = 0x0101'0101'0101'0101u;
    const u64 zero = ~(((word & kLow) + kLow) | word | kLow);
    return static_cast<u32>((zero >> 7) * kOnes >> 56);
}

// Vectors of bytes are frequent in code that compresses and searches, and most of their bytes go to one
// counter.
void count_bytes(u64* counters, u32 lanes, const void* data) {
    u32 zeros = 0, i = 0;
    for (; i + 8 <= lanes; i += 8) zeros += zero_bytes(element<u64>(data, i / 8));
    for (; i < lanes; ++i) zeros += element<u8>(data, i) == 0 ? 1 : 0;
    counters[1] += zeros;
    counters[0] += lanes - zeros;
}

// The cells of a float that are not redundant.
u32 significant_cells(u64 bits, ValueType type) {
    return ~redundant_cells(bits, type) & ((1u << type.cells()) - 1);
}

}  // namespace

SiteNumber site_of(Address instruction, ValueType type, const Uses& uses) {
    // The types of short loads are known, and the same in every translation.
    if (type.load_bytes() >= 4) {
        ValueType& known = (*known_types)[key_of(instruction, type.load_bytes())];
        if (type.known())
            known = type;
        else if (known.known())
            type = known;
    }
    u32& number = (*numbers)[key_of(instruction, type.code())];
    if (number == 0) number = sites->push_back(Site{instruction, type, uses}) + 1;
    (*sites)[number - 1].uses.add(uses);
    return SiteNumber{number - 1};
}

const Site& site(SiteNumber number) { return (*sites)[static_cast<u32>(number)]; }
u32 site_count() { return sites->size(); }

void count(u64* counters, ValueType type, const void* data) {
    const u32 lanes = type.lanes();
    if (type.is_float()) {
        for (u32 i = 0; i < lanes; ++i) {
            if (type.bytes() == 4) {
                ++counters[significant_cells(element<u32>(data, i), type)];
                continue;
            }
            const u64 bits = element<u64>(data, i);
            const u32 cells = significant_cells(bits, type);
            ++counters[cells & (kHalf - 1)];
            ++counters[kHalf + (cells >> 5)];
            counters[instrument::kZeroDoubles] += bits == 0;
        }
        return;
    }
    switch (type.bytes()) {
        case 1: return count_bytes(counters, lanes, data);
        case 2: return count_integers<u16>(counters, lanes, data);
        case 4: return count_integers<u32>(counters, lanes, data);
        default: return count_integers<u64>(counters, lanes, data);
    }
}

void sum(const u64* counters, ValueType type, LoadCounts* counts) {
    LoadCounts seen;
    if (!type.is_float()) {
        const u32 bytes = type.bytes();
        u64 with_more = 0;  // elements with at least N leading zero bytes
        for (u32 zeros = bytes; zeros > 0; --zeros) {
            with_more += counters[zeros];
            seen.cells[bytes - zeros] = with_more;
            seen.redundant += with_more;
        }
        seen.elements = with_more + counters[0];
        seen.zero = counters[bytes];
        for (u32 zeros = 0; bytes == 8 && zeros < bytes; ++zeros)
            seen.numbers |= counters[zeros] != 0 && !may_be_address(counters[kLastValues + zeros]);
    } else {
        const u32 groups = type.bytes() == 4 ? 1 : 2;
        for (u32 set = 0; set < kHalf; ++set) {
            seen.elements += counters[set];
            for (u32 group = 0; group < groups; ++group)
                for (u32 cell = 0; cell < 5; ++cell)
                    if ((set >> cell & 1) == 0) seen.cells[5 * group + cell] += counters[kHalf * group + set];
        }
        for (u64 cell : seen.cells) seen.redundant += cell;
        seen.zero = counters[type.bytes() == 4 ? 0 : instrument::kZeroDoubles];
    }
    counts->add(seen);
}

}  // namespace memspy::zeros
