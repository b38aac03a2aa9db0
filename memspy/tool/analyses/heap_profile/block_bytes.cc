// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyses/heap_profile/block_bytes.h"

#include <algorithm>

namespace memspy::heap_profile {
namespace {

constexpr u8 kLoad = 1, kLoads = 3, kStore = 4, kStores = 12;
constexpr u8 kManyLoads = 2 * kLoad, kManyStores = 2 * kStore;

// Eight histories at once: adds one to the loads, and to the stores, of those that `wanted` (1 in each byte)
// has, up to two of each.
constexpr usize kLanes = sizeof(u64);
constexpr u64 kEach = 0x0101'0101'0101'0101;
u64 accessed(u64 bytes, u64 wanted, bool loads, bool stores) {
    static_assert(kManyLoads == 2 && kManyStores == 8);
    if (loads) bytes += wanted & ~(bytes >> 1);
    if (stores) bytes += (wanted & ~(bytes >> 3)) << 2;
    return bytes;
}

void note(u8* at, usize count, bool loads, bool stores) {
    for (usize done = 0; done < count; done += kLanes) {
        const usize lanes = std::min(kLanes, count - done);
        u64 bytes = 0;
        __builtin_memcpy(&bytes, at + done, kLanes);
        bytes = accessed(bytes, kEach >> 8 * (kLanes - lanes), loads, stores);
        __builtin_memcpy(at + done, &bytes, kLanes);
    }
}

}  // namespace

BlockBytes::ByteHistory& BlockBytes::bytes_of(Address block, usize size) {
    ByteHistory& bytes = blocks_[block];
    if (bytes.at == nullptr) {
        bytes.at = static_cast<u8*>(rt::allocate(size + kLanes, "memspy.block_bytes"));
        __builtin_memset(bytes.at, 0, size + kLanes);
        bytes.size = size;
    }
    return bytes;
}

void BlockBytes::access(Address block, usize size, Address address, usize count, bool loads, bool stores) {
    if (found_ == nullptr || last_ != block) {
        found_ = &bytes_of(block, size);
        last_ = block;
    }
    ByteHistory& bytes = *found_;
    if (loads) bytes.loaded += count;
    if (stores) bytes.stored += count;
    const usize begin = address - block, end = std::min(begin + count, bytes.size);
    if (begin < end) note(bytes.at + begin, end - begin, loads, stores);
}

void BlockBytes::moved(Address from, usize old_size, Address to, usize size) {
    const usize kept = std::min(old_size, size);
    found_ = nullptr;
    if (size == 0) return;
    ByteHistory old{};
    if (ByteHistory* const found = blocks_.find(from)) old = *found;
    blocks_.erase(from);
    ByteHistory& bytes = bytes_of(to, size);
    if (old.at != nullptr) __builtin_memcpy(bytes.at, old.at, std::min(kept, old.size));
    note(bytes.at, kept, true, true);
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
    found_ = nullptr;
    ByteHistory* const found = blocks_.find(block);
    const BlockUse use = use_of(found, size);
    if (found != nullptr) {
        release(*found);
        blocks_.erase(block);
    }
    return use;
}

void BlockBytes::release(ByteHistory& bytes) {
    if (bytes.at != nullptr) rt::release(bytes.at, bytes.size + kLanes);
    bytes.at = nullptr;
}

void BlockBytes::clear() {
    found_ = nullptr;
    blocks_.for_each([](u64, ByteHistory& bytes) { release(bytes); });
    blocks_.clear();
}

}  // namespace memspy::heap_profile
