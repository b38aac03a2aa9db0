// SPDX-License-Identifier: GPL-2.0-or-later
#include "vg/client_arena.h"

#include "vg/vg.h"

extern "C" {
using MapClientHeap = SysRes(SizeT bytes, Int protection);
MapClientHeap __real_vgPlain_am_mmap_client_heap, __wrap_vgPlain_am_mmap_client_heap;

SysRes __wrap_vgPlain_am_mmap_client_heap(SizeT bytes, Int protection) {
    return __real_vgPlain_am_mmap_client_heap(bytes, protection & ~VKI_PROT_EXEC);
}
}

namespace memspy::vg {

namespace {
Address code = 0;
usize code_bytes = 0;
}  // namespace

Address map_client_code(usize bytes) {
    const SysRes mapped =
        __real_vgPlain_am_mmap_client_heap(bytes, VKI_PROT_READ | VKI_PROT_WRITE | VKI_PROT_EXEC);
    if (sr_isError(mapped)) return 0;
    code = sr_Res(mapped);
    code_bytes = bytes;
    return code;
}

bool has_client_memory(Address a) {
    return a - code >= code_bytes && VG_(am_is_valid_for_client)(a, 1, VKI_PROT_NONE);
}

}  // namespace memspy::vg
