// SPDX-License-Identifier: GPL-2.0-or-later
#include "vg/compat.h"

namespace memspy::vg {

// The least red zone that --redzone-size may make larger; 16 bytes hold the widest common access.
static constexpr SizeT kLeastRedZone = 16;

void replace_malloc(const MallocFamily& f) {
    VG_(needs_malloc_replacement)(f.malloc, f.new_, f.new_aligned, f.vec_new, f.vec_new_aligned, f.memalign,
                                  f.calloc, f.free, f.delete_, f.delete_aligned, f.vec_delete,
                                  f.vec_delete_aligned, f.realloc, f.usable_size, kLeastRedZone);
}

}  // namespace memspy::vg
