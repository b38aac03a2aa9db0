// SPDX-License-Identifier: GPL-2.0-or-later
//
// Chunk sources for tests of the heap: real zero-filled memory at low addresses, where a client's would be,
// or addresses without memory behind them, for sizes that a test machine need not have.
#pragma once

#include <sys/mman.h>

#include <map>

#include "heap/heap.h"

namespace memspy::heap {

inline std::map<Address, usize> chunks;  // held by the heap now
inline usize memory_left = ~usize{0};

inline void* acquire_real(usize bytes) {
    if (bytes > memory_left) return nullptr;
    void* memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_32BIT, -1, 0);
    if (memory == MAP_FAILED) return nullptr;
    chunks[reinterpret_cast<Address>(memory)] = bytes;
    return memory;
}

inline void release_real(void* chunk, usize bytes) {
    auto found = chunks.find(reinterpret_cast<Address>(chunk));
    CHECK(found != chunks.end());
    CHECK_EQ(found->second, bytes);
    chunks.erase(found);
    munmap(chunk, bytes);
}

inline usize discarded = 0;  // bytes, in total

inline void discard_real(void* begin, usize bytes) {
    discarded += bytes;
    for (usize i = 0; i < bytes; ++i) static_cast<u8*>(begin)[i] = 0;
}

inline constexpr Address kFirstFake = 0x1'0000'0010;
inline Address next_fake = kFirstFake;

inline void* acquire_fake(usize bytes) {
    if (bytes > memory_left) return nullptr;
    Address chunk = next_fake;
    next_fake += (bytes + 15) & ~usize{15};  // chunks touch each other
    chunks[chunk] = bytes;
    return reinterpret_cast<void*>(chunk);
}

inline void release_fake(void* chunk, usize bytes) {
    auto found = chunks.find(reinterpret_cast<Address>(chunk));
    CHECK(found != chunks.end());
    CHECK_EQ(found->second, bytes);
    chunks.erase(found);
    next_fake = kFirstFake;
    if (!chunks.empty()) next_fake = (chunks.rbegin()->first + chunks.rbegin()->second + 15) & ~Address{15};
}

inline void discard_fake(void*, usize) {}

inline constexpr ChunkSource kRealSource{acquire_real, release_real, discard_real, 0};
inline constexpr ChunkSource kFakeSource{acquire_fake, release_fake, discard_fake, 0};

inline ContextId context(u64 number) { return static_cast<ContextId>(number); }

}  // namespace memspy::heap
