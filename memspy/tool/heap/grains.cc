// SPDX-License-Identifier: GPL-2.0-or-later
#include "heap/grains.h"

#include <algorithm>

namespace memspy::heap {
namespace {

bool is_uniform(const u32* chunk, u32 grains) { return chunk[grains] != 0; }

}  // namespace

void Grains::start() { table_ = static_cast<u32**>(rt::map_zeroed(kChunks * sizeof(u32*), "memspy.grains")); }

u32* Grains::uniform(u32 number) {
    u32*& chunk = uniform_[number];
    if (chunk == nullptr) {
        chunk = static_cast<u32*>(rt::allocate((kGrains + 1) * sizeof(u32), "memspy.grains"));
        std::fill_n(chunk, kGrains, number);
        chunk[kGrains] = 1;
    }
    return chunk;
}

u32* Grains::own_chunk(u32*& entry) {
    u32* const before = entry;
    if (before != nullptr && !is_uniform(before, kGrains)) return before;
    if (spare_.empty()) {
        entry = static_cast<u32*>(rt::allocate((kGrains + 1) * sizeof(u32), "memspy.grains"));
        std::fill_n(entry, kGrains + 1, 0u);
    } else {
        entry = spare_.back();
        spare_.pop_back();
    }
    if (before != nullptr) std::copy_n(before, kGrains, entry);
    return entry;
}

void Grains::drop(u32* chunk) {
    if (chunk == nullptr || is_uniform(chunk, kGrains)) return;
    std::fill_n(chunk, kGrains, 0u);
    spare_.push_back(chunk);
}

void Grains::set(Address block, usize bytes, u32 number) {
    const Address end = block + (bytes + kGrain - 1) / kGrain * kGrain;
    while (block < end) {
        const Address next = std::min((block | kChunkMask) + 1, end);
        u32*& entry = table_[number_of(block)];
        if (next - block > kChunkMask) {
            drop(entry);
            entry = number == 0 ? nullptr : uniform(number);
        } else if (entry != nullptr || number != 0) {
            std::fill_n(own_chunk(entry) + (block & kChunkMask) / kGrain, (next - block) / kGrain, number);
        }
        block = next;
    }
}

Grains::~Grains() {
    for (usize i = 0; table_ != nullptr && i < kChunks; ++i) drop(table_[i]);
    for (u32* const chunk : spare_) rt::release(chunk);
    uniform_.for_each([](u64, u32*& chunk) { rt::release(chunk); });
}

}  // namespace memspy::heap
