// SPDX-License-Identifier: GPL-2.0-or-later
//
// The core tells tools of a signal only if the program handles it. But before each that comes from generated
// code it asks its gdbserver, and the linker redirects that question here (--wrap, flags.mk).
#include "vg/faults.h"

// Declared by the core for itself only.
extern "C" {
Bool VG_(translate)(ThreadId thread, Addr first, Bool not_kept, Int verbosity, ULong blocks_done,
                    Bool redirects);
SysRes VG_(do_sys_sigaction)(Int signal, const vki_sigaction_toK_t* action, vki_sigaction_fromK_t* old);
struct FaultsSink {
    Int descriptor;  // -1: no output
};
extern FaultsSink VG_(log_output_sink);
}

namespace memspy::vg {
namespace {

void (*heard_by)(const CodeFault& fault) = nullptr;
void (*looker)(const IRSB* block) = nullptr;

void tell(const vki_siginfo_t& info, ThreadId thread) {
    // As in the kernel's header: no mapping, no permission, and those of the kernel itself.
    constexpr Int kNoMapping = 1, kNoPermission = 2, kByKernel = 128;
    if (heard_by == nullptr || info.si_signo != VKI_SIGSEGV) return;
    const bool knows_address = info.si_code == kNoMapping || info.si_code == kNoPermission;
    if (!knows_address && info.si_code != kByKernel) return;
    const auto address = reinterpret_cast<Address>(info._sifields._sigfault._addr);
    vki_sigaction_fromK_t action;
    VG_(do_sys_sigaction)(info.si_signo, nullptr, &action);
    const bool is_handled = action.ksa_handler != VKI_SIG_DFL && action.ksa_handler != VKI_SIG_IGN;
    heard_by({thread, knows_address, knows_address ? address : 0, is_handled});
}

}  // namespace

void listen_for_faults(void (*heard)(const CodeFault& fault)) { heard_by = heard; }

void look_at_code(u32 guest_id, Address first, void (*look)(const IRSB* block)) {
    looker = look;
    // A translation that is not kept is one for people to look at, whose block the core names.
    const FaultsSink log = VG_(log_output_sink);
    VG_(log_output_sink).descriptor = -1;
    VG_(translate)(guest_id, first, True, 0, 0, False);
    VG_(log_output_sink).descriptor = log.descriptor;
    looker = nullptr;
}
bool is_only_looked_at(const IRSB* block) {
    if (looker == nullptr) return false;
    looker(block);
    return true;
}

}  // namespace memspy::vg

extern "C" {
using ReportSignal = Bool(vki_siginfo_t* info, ThreadId thread);
ReportSignal __real_vgPlain_gdbserver_report_signal, __wrap_vgPlain_gdbserver_report_signal;

Bool __wrap_vgPlain_gdbserver_report_signal(vki_siginfo_t* info, ThreadId thread) {
    memspy::vg::tell(*info, thread);
    return __real_vgPlain_gdbserver_report_signal(info, thread);
}
}
