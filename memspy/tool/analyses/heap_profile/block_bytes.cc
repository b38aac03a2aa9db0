// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyses/heap_profile/block_bytes.h"

#include <algorithm>

namespace memspy::heap_profile {
namespace {

constexpr u8 kLoad = 1, kLoads = 3, kStore = 4, kStores = 12;
constexpr u8 kManyLoads = 2 * kLoad, kManyStores = 2 * kStore;

u8 loaded(u8 byte) { return (byte & kLoads) == kManyLoads ? byte : static_cast<u8>(byte + kLoad); }
u8 stored(u8 byte) { return (byte & kStores) == kManyStores ? byte : static_cast<u8>(byte + kStore); }

}  // namespace

BlockBytes::ByteHistory& BlockBytes::bytes_of(Address block, usize size) {
    ByteHistory& bytes = blocks_[block];
    if (bytes.at == nullptr) {
        bytes.at = static_cast<u8*>(rt::allocate(size, "memspy.block_bytes"));
        __builtin_memset(bytes.at, 0, size);
        bytes.size = size;
    }
    return bytes;
}

void BlockBytes::access(Address block, usize size, Address address, usize count, bool loads, bool stores) {
    ByteHistory& bytes = bytes_of(block, size);
    if (loads) bytes.loaded += count;
    if (stores) bytes.stored += count;
    const usize begin = address - block, end = std::min(begin + count, bytes.size);
    for (usize i = begin; i < end; ++i) {
        u8& byte = bytes.at[i];
        if (loads) byte = loaded(byte);
        if (stores) byte = stored(byte);
    }
}

void BlockBytes::moved(Address from, usize old_size, Address to, usize size) {
    const usize kept = std::min(old_size, size);
    if (size == 0) return;
    ByteHistory old{};
    if (ByteHistory* const found = blocks_.find(from)) old = *found;
    blocks_.erase(from);
    ByteHistory& bytes = bytes_of(to, size);
    if (old.at != nullptr) __builtin_memcpy(bytes.at, old.at, std::min(kept, old.size));
    for (usize i = 0; i < kept; ++i) bytes.at[i] = stored(loaded(bytes.at[i]));
    bytes.loaded = old.loaded + kept;
    bytes.stored = old.stored + kept;
    release(old);
}

BlockUse BlockBytes::use_of(const ByteHistory* bytes, usize size) {
    if (bytes == nullptr) return {.never_read = size, .never_written = size};
    BlockUse use{.loaded = bytes->loaded, .stored = bytes->stored};
    for (usize i = 0; i < bytes->size; ++i) {
        const u8 byte = bytes->at[i];
        use.never_read += (byte & kLoads) == 0;
        use.never_written += (byte & kStores) == 0;
        use.used_once += byte == (kLoad | kStore);
    }
    return use;
}

BlockUse BlockBytes::use_of(Address block, usize size) { return use_of(blocks_.find(block), size); }

BlockUse BlockBytes::take(Address block, usize size) {
    ByteHistory* const found = blocks_.find(block);
    const BlockUse use = use_of(found, size);
    if (found != nullptr) {
        release(*found);
        blocks_.erase(block);
    }
    return use;
}

void BlockBytes::release(ByteHistory& bytes) {
    if (bytes.at != nullptr) rt::release(bytes.at, bytes.size);
    bytes.at = nullptr;
}

void BlockBytes::clear() {
    blocks_.for_each([](u64, ByteHistory& bytes) { release(bytes); });
    blocks_.clear();
}

}  // namespace memspy::heap_profile
