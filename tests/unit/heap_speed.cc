// SPDX-License-Identifier: GPL-2.0-or-later
//
// Prints what the heap costs: time for a pair of allocate and free, with and without marking the shadow as
// the tool does, and the tool's and the client's memory for each live block.
#include <chrono>
#include <cstdio>
#include <cstring>
#include <random>
#include <vector>

#include "heap_source.h"
#include "shadow/shadow_map.h"

namespace {

using namespace memspy;
using shadow::State;

void* acquire(usize bytes) {
    void* chunk = heap::acquire_real(bytes);
    shadow::set_range(reinterpret_cast<Address>(chunk), bytes, State::Unaddressable);
    return chunk;
}
void release(void* chunk, usize bytes) {
    shadow::set_range(reinterpret_cast<Address>(chunk), bytes, State::Fine);
    heap::release_real(chunk, bytes);
}

heap::Block* take(usize size, bool mark) {
    heap::Block* block = heap::allocate(size, 16, heap::AllocKind::Malloc, heap::context(1), 1, false);
    if (mark) {
        shadow::set_range(block->payload, size, State::Uninitialised);
        if (!block->fresh) {
            heap::Extents around = heap::extents(*block);
            Address end = block->payload + size;
            shadow::set_range(around.begin, block->payload - around.begin, State::Unaddressable);
            shadow::set_range(end, around.end - end, State::Unaddressable);
        }
    }
    return block;
}

void give(Address payload, bool mark) {
    heap::Block* block = heap::find_live(payload);
    if (mark) shadow::set_range(payload, block->size, State::Freed);
    heap::free(*block, heap::context(2));
}

double measure(usize largest, usize live, usize volume, bool mark) {
    heap::initialise({16, volume, 1'000'000}, {acquire, release, 0});
    std::mt19937 random(1);
    std::vector<Address> payloads;
    constexpr usize kPairs = 3'000'000;
    std::vector<u32> sizes, places;
    for (usize i = 0; i < kPairs; ++i) {
        sizes.push_back(static_cast<u32>(1 + random() % largest));
        places.push_back(static_cast<u32>(random() % live));
    }
    for (usize i = 0; i < live; ++i) payloads.push_back(take(sizes[i], mark)->payload);
    auto start = std::chrono::steady_clock::now();
    for (usize i = 0; i < kPairs; ++i) {
        Address& payload = payloads[places[i]];
        give(payload, mark);
        payload = take(sizes[i], mark)->payload;
    }
    std::chrono::duration<double, std::nano> spent = std::chrono::steady_clock::now() - start;
    heap::reset();
    return spent.count() / kPairs;
}

long resident() {
    long pages = 0, ignored = 0;
    if (std::FILE* file = std::fopen("/proc/self/statm", "r")) {
        if (std::fscanf(file, "%ld %ld", &ignored, &pages) != 2) pages = 0;
        std::fclose(file);
    }
    return pages * 4096;
}

}  // namespace

int main() {
    shadow::initialise();
    for (usize volume : {usize{0}, usize{20'000'000}})
        for (usize largest : {usize{64}, usize{200}, usize{2'000}})
            std::printf("sizes 1..%zu, 10,000 live, quarantine %zu: %.1f ns per pair, %.1f ns with shadow\n", largest,
                        volume, measure(largest, 10'000, volume, false), measure(largest, 10'000, volume, true));
    for (usize size : {usize{16}, usize{24}, usize{100}, usize{1'000}}) {
        heap::initialise({16, 20'000'000, 1'000'000}, {acquire, release, 0});
        constexpr usize kBlocks = 200'000;
        long before = resident();
        for (usize i = 0; i < kBlocks; ++i) {
            heap::Block* block = take(size, true);
            std::memset(reinterpret_cast<void*>(block->payload), 1, size);
        }
        std::printf("%zu bytes: %.1f bytes resident for each live block (payload, zones, records, shadow)\n", size,
                    static_cast<double>(resident() - before) / kBlocks);
        heap::reset();
        shadow::reset();
    }
}
