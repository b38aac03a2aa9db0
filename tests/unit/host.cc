// SPDX-License-Identifier: GPL-2.0-or-later
//
// The host services of rt/, on the C library, for native tests. Memory is filled with garbage, because the
// tool's host does not promise zeros.
#include <sys/mman.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "rt/base.h"

namespace memspy::rt {

void* allocate(usize bytes, const char*) {
    void* memory = std::malloc(bytes);
    if (memory == nullptr) std::abort();
    std::memset(memory, 0xA5, bytes);
    return memory;
}

void release(void* memory, usize) { std::free(memory); }

void* map_zeroed(usize bytes, const char*) {
    void* memory = map_zeroed_or_null(bytes);
    if (memory == nullptr) std::abort();
    return memory;
}
void* map_zeroed_or_null(usize bytes) {
    void* memory =
        mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    return memory == MAP_FAILED ? nullptr : memory;
}
void empty_pages(void* begin, usize bytes) {
    if (madvise(begin, bytes, MADV_DONTNEED) != 0) std::abort();
}

void check_failed(const char* condition, const char* file, int line, u64 left, u64 right) {
    std::fprintf(stderr, "%s:%d: check failed: %s (%llu and %llu)\n", file, line, condition,
                 static_cast<unsigned long long>(left), static_cast<unsigned long long>(right));
    std::abort();
}

}  // namespace memspy::rt
