// SPDX-License-Identifier: GPL-2.0-or-later
//
// The core tells tools of no signal without a handler, and of nothing behind its own last lines. But it stops
// all threads by a function that is told why, and ends by another one; the linker sends these calls here
// (--wrap, flags.mk).
#include "vg/process_end.h"

#include "vg/vg.h"

// As in the core's own headers.
extern "C" {
enum VgSchedReturnCode { VgSrc_None, VgSrc_ExitThread, VgSrc_ExitProcess, VgSrc_FatalSig };
void __real_vgPlain_nuke_all_threads_except(ThreadId thread, VgSchedReturnCode why);
void __wrap_vgPlain_nuke_all_threads_except(ThreadId thread, VgSchedReturnCode why);
[[noreturn]] void __real_vgPlain_client_exit(Int status);
[[noreturn]] void __wrap_vgPlain_client_exit(Int status);
}

namespace memspy::vg {
namespace {

bool by_signal = false;
void (*last_call)() = nullptr;

}  // namespace

bool ends_by_signal() { return by_signal; }
void call_last(void (*last)()) { last_call = last; }

}  // namespace memspy::vg

void __wrap_vgPlain_nuke_all_threads_except(ThreadId thread, VgSchedReturnCode why) {
    if (why == VgSrc_FatalSig) memspy::vg::by_signal = true;
    __real_vgPlain_nuke_all_threads_except(thread, why);
}

void __wrap_vgPlain_client_exit(Int status) {
    if (memspy::vg::last_call != nullptr) memspy::vg::last_call();
    __real_vgPlain_client_exit(status);
}
