// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyses/zeros/client_memory.h"

#include "instrument/zeros/byte_marks.h"

namespace memspy::zeros {
namespace {

constexpr u64 kEnd = u64{1} << instrument::kMarkAddressBits;
// Of numbers below 4 GiB a program of 100 MB has one in forty.
constexpr u32 kGranuleShift = 16;
u64 had[(kEnd >> kGranuleShift) / 64];

}  // namespace

void client_has(Address begin, usize bytes) {
    if (bytes == 0 || begin >= kEnd) return;
    const Address last = begin + bytes - 1 < kEnd ? begin + bytes - 1 : kEnd - 1;
    for (u64 granule = begin >> kGranuleShift; granule <= last >> kGranuleShift; ++granule)
        had[granule / 64] |= u64{1} << granule % 64;
}

bool may_be_address(u64 value) {
    const u64 granule = value >> kGranuleShift;
    return value < kEnd && (had[granule / 64] >> granule % 64 & 1) != 0;
}

bool holds_addresses(Address begin, Address end, u32 stride, u32 offset) {
    bool any = false;
    for (Address a = begin + offset; a + sizeof(u64) <= end; a += stride) {
        const u64 value = *reinterpret_cast<const u64*>(a);
        if (value == 0) continue;
        if (!may_be_address(value)) return false;
        any = true;
    }
    return any;
}

}  // namespace memspy::zeros
