// SPDX-License-Identifier: GPL-2.0-or-later
//
// The host services of rt/base.h, by Valgrind's core, and the C library function that a freestanding compiler
// may call on its own and that the core does not have.
#include "vg/compat.h"
#include "vg/vg.h"

namespace memspy::rt {

void* allocate(usize bytes, const char* what) { return VG_(malloc)(what, bytes); }
void release(void* memory, usize bytes) {
    // The core's records stand beside the memory and, when it is free, at its ends.
    constexpr usize kLarge = usize{1} << 18;
    if (bytes >= kLarge)
        vg::discard_pages(reinterpret_cast<Address>(memory) + VKI_PAGE_SIZE, bytes - 2 * VKI_PAGE_SIZE);
    VG_(free)(memory);
}

void* map_zeroed(usize bytes, const char* what) { return vg::map_zeroed(bytes, what); }
void* map_zeroed_or_null(usize bytes) { return vg::map_zeroed_or_null(bytes); }
void empty_pages(void* begin, usize bytes) { vg::discard_pages(reinterpret_cast<Address>(begin), bytes); }

void check_failed(const char* condition, const char* file, int line, u64 left, u64 right) {
    VG_(printf)("memspy: %s:%d: check failed: %s (%llu and %llu)\n", file, line, condition,
                static_cast<ULong>(left), static_cast<ULong>(right));
    VG_(tool_panic)("a check of memspy's own state failed; please report this");
}

}  // namespace memspy::rt

// libcoregrind has memcpy, memmove and memset, but not memcmp.
extern "C" int memcmp(const void* a, const void* b, SizeT size) { return VG_(memcmp)(a, b, size); }
