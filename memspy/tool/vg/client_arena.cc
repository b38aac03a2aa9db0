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

Address map_client_code(usize bytes) {
    const SysRes mapped =
        __real_vgPlain_am_mmap_client_heap(bytes, VKI_PROT_READ | VKI_PROT_WRITE | VKI_PROT_EXEC);
    return sr_isError(mapped) ? 0 : sr_Res(mapped);
}

}  // namespace memspy::vg
