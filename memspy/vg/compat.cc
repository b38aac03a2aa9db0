// SPDX-License-Identifier: GPL-2.0-or-later
#include "vg/compat.h"

#include <concepts>

// Declared by the core for itself only. Of a sink, its first member is all that is needed here.
struct SinkHead {
    Int descriptor;
};
extern "C" {
extern Bool VG_(clo_read_inline_info);
extern SinkHead VG_(log_output_sink), VG_(xml_output_sink);
extern SysRes VG_(do_syscall)(UWord number, RegWord, RegWord, RegWord, RegWord, RegWord, RegWord, RegWord, RegWord);
extern const HChar* VG_(clo_log_fname_unexpanded);
extern const HChar* VG_(clo_xml_fname_unexpanded);
}

namespace memspy::vg {
namespace {

// A template, so that the branch which this version lacks is not compiled.
template <typename F>
void call_need_core_errors(F need) {
    if constexpr (std::invocable<F, Bool>)
        need(True);
    else
        need();
}

}  // namespace

void need_core_errors() { call_need_core_errors(VG_(needs_core_errors)); }

void discard_pages(Address begin, usize bytes) {
    constexpr UWord kDontNeed = 4;  // MADV_DONTNEED
    const Address first = VG_PGROUNDUP(begin) + VKI_PAGE_SIZE;
    const Address last = VG_PGROUNDDN(begin + bytes) - VKI_PAGE_SIZE;
    if (first < last) VG_(do_syscall)(__NR_madvise, first, last - first, kDontNeed, 0, 0, 0, 0, 0);
}

bool report_is_writable() {
    const HChar* name = VG_(clo_xml) ? VG_(clo_xml_fname_unexpanded) : VG_(clo_log_fname_unexpanded);
    const Int descriptor = VG_(clo_xml) ? VG_(xml_output_sink).descriptor : VG_(log_output_sink).descriptor;
    return name == nullptr || descriptor < 0 || VG_(write)(descriptor, "\n", 1) == 1;
}

void read_inline_info() { VG_(clo_read_inline_info) = True; }

// The least red zone that --redzone-size may make larger; 16 bytes hold the widest common access.
static constexpr SizeT kLeastRedZone = 16;

void replace_malloc(const MallocFamily& f) {
    VG_(needs_malloc_replacement)(f.malloc, f.new_, f.new_aligned, f.vec_new, f.vec_new_aligned, f.memalign,
                                  f.calloc, f.free, f.delete_, f.delete_aligned, f.vec_delete,
                                  f.vec_delete_aligned, f.realloc, f.usable_size, kLeastRedZone);
}

}  // namespace memspy::vg
