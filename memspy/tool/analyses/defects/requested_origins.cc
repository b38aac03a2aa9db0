// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyses/defects/requested_origins.h"

#include "heap/heap.h"
#include "vg/vg.h"

namespace memspy::defects {
namespace {

// Ranges that do not overlap: ends and origins by first byte. The core's tree, because an allocator may have
// hundreds of thousands of them.
WordFM* ends;
WordFM* origins;

void set(Address begin, Address end, UWord origin) {
    VG_(addToFM)(ends, begin, end);
    VG_(addToFM)(origins, begin, origin);
}

void remove(Address begin) {
    VG_(delFromFM)(ends, nullptr, nullptr, begin);
    VG_(delFromFM)(origins, nullptr, nullptr, begin);
}

// The range that begins last among those that begin at or below `a`.
bool find_at_or_below(Address a, Address& begin, Address& end) {
    begin = a;
    if (VG_(lookupFM)(ends, nullptr, &end, a)) return true;
    UWord above = 0, above_end = 0;
    return VG_(findBoundsFM)(ends, &begin, &end, &above, &above_end, 0, 0, ~UWord{0}, 0, a) && end != 0;
}

}  // namespace

void forget_requested_origins(Address begin, usize bytes) {
    if (ends == nullptr || bytes == 0) return;
    const Address end = begin + bytes;
    Address first = 0, last = 0;
    while (find_at_or_below(end - 1, first, last) && last > begin) {
        UWord origin = 0;
        VG_(lookupFM)(origins, nullptr, &origin, first);
        remove(first);
        if (first < begin) set(first, begin, origin);
        if (last > end) set(end, last, origin);
    }
}

void note_requested_origin(u32 thread, Address begin, usize bytes, findings::Requester by) {
    if (bytes == 0) return;
    const bool on_stack =
        begin >= VG_(get_SP)(thread) - VG_STACK_REDZONE_SZB && begin <= VG_(thread_get_stack_max)(thread);
    if (on_stack && !heap::is_heap_memory(begin) && by == findings::Requester::Program) return;
    if (ends == nullptr) {
        ends = VG_(newFM)(VG_(malloc), "memspy.requested_origins", VG_(free), nullptr);
        origins = VG_(newFM)(VG_(malloc), "memspy.requested_origins", VG_(free), nullptr);
    }
    forget_requested_origins(begin, bytes);
    const ContextId origin = id_of(VG_(record_ExeContext)(thread, 0));
    findings::note_requested(origin, by);
    set(begin, begin + bytes, static_cast<UWord>(origin));
}

ContextId requested_origin(Address a) {
    Address begin = 0, end = 0;
    UWord origin = 0;
    if (ends == nullptr || !find_at_or_below(a, begin, end) || a >= end) return ContextId::None;
    VG_(lookupFM)(origins, nullptr, &origin, begin);
    return static_cast<ContextId>(origin);
}

}  // namespace memspy::defects
