// SPDX-License-Identifier: GPL-2.0-or-later
//
// The core tells tools of a signal only if the program handles it. But before each that comes from generated
// code it asks its gdbserver, and the linker redirects that question here (--wrap, flags.mk).
//
// Where the program jumps to memory without code the core makes a signal up. Here it becomes the kernel's.
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

// As in the kernel's header: no mapping, no permission, and those of the kernel itself.
constexpr Int kNoMapping = 1, kNoPermission = 2, kByKernel = 128;

Address address_of(const vki_siginfo_t& info) {
    return reinterpret_cast<Address>(info._sifields._sigfault._addr);
}

bool is_jump_fault(const vki_siginfo_t& info, Address code) {
    if (info.si_signo != VKI_SIGSEGV || VG_(am_is_valid_for_client)(code, 1, VKI_PROT_EXEC)) return false;
    return info.si_code == kByKernel ||
           ((info.si_code == kNoMapping || info.si_code == kNoPermission) && address_of(info) == code);
}

void tell(const vki_siginfo_t& info, ThreadId thread) {
    if (heard_by == nullptr || info.si_signo != VKI_SIGSEGV) return;
    const bool knows_address = info.si_code == kNoMapping || info.si_code == kNoPermission;
    if (!knows_address && info.si_code != kByKernel) return;
    const Address address = knows_address ? address_of(info) : 0;
    vki_sigaction_fromK_t action;
    VG_(do_sys_sigaction)(info.si_signo, nullptr, &action);
    const bool is_handled = action.ksa_handler != VKI_SIG_DFL && action.ksa_handler != VKI_SIG_IGN;
    heard_by({thread, knows_address, address, is_handled,
              knows_address && is_jump_fault(info, VG_(get_IP)(thread))});
}

// For the core memory of its own is memory without permission. amd64 tells no address that none can have.
void correct(vki_siginfo_t& info) {
    if (info.si_signo != VKI_SIGSEGV || info.si_code != kNoPermission) return;
    if (VG_(am_is_valid_for_client)(address_of(info), 1, VKI_PROT_NONE)) return;
    info.si_code = kNoMapping;
#if defined(VGA_amd64)
    constexpr unsigned kBits = 47;
    if (address_of(info) >> kBits == 0 || address_of(info) >> kBits == ~Address{0} >> kBits) return;
    info.si_code = kByKernel;
    info._sifields._sigfault._addr = nullptr;
#endif
}

// A handler's context has the processor's words for the fault, but none where the core made the signal up. Null
// if there is nothing to say.
const vki_ucontext* words_of_fault([[maybe_unused]] const vki_siginfo_t& info,
                                   [[maybe_unused]] Address code) {
#if defined(VGA_amd64)
    constexpr UWord kProtection = 13, kPageFault = 14, kIsPresent = 1, kByUser = 4, kFetch = 16;
    static vki_ucontext words;
    if (!is_jump_fault(info, code)) return nullptr;
    const bool is_present = VG_(am_is_valid_for_client)(code, 1, VKI_PROT_READ);
    words.uc_mcontext.trapno = info.si_code == kByKernel ? kProtection : kPageFault;
    words.uc_mcontext.err = info.si_code == kByKernel ? 0 : kByUser | kFetch | (is_present ? kIsPresent : 0);
    return &words;
#else
    return nullptr;
#endif
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
    memspy::vg::correct(*info);
    return __real_vgPlain_gdbserver_report_signal(info, thread);
}

using CreateFrame = void(ThreadId thread, Bool on_alternate_stack, Addr stack_pointer,
                         const vki_siginfo_t* info, const vki_ucontext* words, void* handler, UInt flags,
                         const vki_sigset_t* mask, void* restorer);
CreateFrame __real_vgPlain_sigframe_create, __wrap_vgPlain_sigframe_create;

void __wrap_vgPlain_sigframe_create(ThreadId thread, Bool on_alternate_stack, Addr stack_pointer,
                                    const vki_siginfo_t* info, const vki_ucontext* words, void* handler,
                                    UInt flags, const vki_sigset_t* mask, void* restorer) {
    if (words == nullptr) words = memspy::vg::words_of_fault(*info, VG_(get_IP)(thread));
    __real_vgPlain_sigframe_create(thread, on_alternate_stack, stack_pointer, info, words, handler, flags,
                                   mask, restorer);
}
}
