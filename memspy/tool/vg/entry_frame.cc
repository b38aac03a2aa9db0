// SPDX-License-Identifier: GPL-2.0-or-later
//
// The linker redirects the core's recording of stacks here (--wrap, flags.mk).
#include "vg/entry_frame.h"

#include "vg/unwind.h"

namespace memspy::vg {
namespace {

bool from_entry = false;

}  // namespace

StackFromEntry::StackFromEntry(bool wanted) { from_entry = wanted; }
StackFromEntry::~StackFromEntry() { from_entry = false; }

}  // namespace memspy::vg

extern "C" {
// Declared by the core for itself only.
Bool VG_(get_inst_offset_in_function)(DiEpoch epoch, Addr code, PtrdiffT* offset);

ExeContext* __real_vgPlain_record_ExeContext(ThreadId thread, Word first_ip_delta);
ExeContext* __wrap_vgPlain_record_ExeContext(ThreadId thread, Word first_ip_delta);

ExeContext* __wrap_vgPlain_record_ExeContext(ThreadId thread, Word first_ip_delta) {
    using namespace memspy;
    ExeContext* context = __real_vgPlain_record_ExeContext(thread, first_ip_delta);
    if (!vg::from_entry) return context;
    Addr codes[vg::kMostFrames];
    const UInt recorded = static_cast<UInt>(VG_(get_ExeContext_n_ips)(context));
    const UInt most = recorded < vg::kMostFrames ? recorded : vg::kMostFrames;
    const UInt count = VG_(get_StackTrace)(thread, codes, most, nullptr, nullptr, first_ip_delta);
    PtrdiffT into_function = 0;
    if (count == 0 || !VG_(get_inst_offset_in_function)(VG_(current_DiEpoch)(), codes[0], &into_function))
        return context;
    codes[0] -= static_cast<Addr>(into_function);
    return VG_(make_ExeContext_from_StackTrace)(codes, count);
}
}
