// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyses/defects/system_calls.h"

#include "analyses/defects/accesses.h"
#include "analyses/defects/place.h"
#include "analyses/defects/requested_origins.h"
#include "analyses/defects/stack_memory.h"
#include "instrument/instrument.h"
#include "instrument/registers.h"
#include "options.h"
#include "shadow/shadow_map.h"
#include "shadow/side_table.h"
#include "threads/registry.h"
#include "vg/vg.h"

namespace memspy::defects {
namespace {

using findings::Finding;
using findings::FindingKind;
using shadow::State;

// While instrumentation is off, nothing is reported, and the program's writes are not known.
bool is_watching() { return instrument::policy().enabled; }
bool undefined_values() { return options().undef_value_errors; }

// The buffer of a system call touches `bad`, which is invalid, and extends `bytes` from there (0: unknown).
void report_buffer(FindingKind kind, ThreadId thread, const HChar* parameter, Address bad, usize bytes) {
    Finding finding;
    finding.kind = kind;
    finding.address = bad;
    finding.size = bytes;
    finding.name = parameter;
    finding.place = place_of(bad, bad);
    findings::report(thread, finding);
}

void report_undefined(ThreadId thread, const HChar* parameter, Address bad) {
    Finding finding;
    finding.kind = FindingKind::SyscallParam;
    finding.address = bad;
    finding.name = parameter;
    finding.place = place_of(bad, bad);
    finding.origin = origin_of(bad);
    findings::report(thread, finding);
}

void pre_mem_read(CorePart part, ThreadId thread, const HChar* parameter, Addr begin, SizeT bytes) {
    if (!is_watching()) return;
    settle_stack(begin, bytes);
    const usize invalid = first_unaddressable(begin, bytes);
    const bool looks_at_values = part != Vg_CoreTranslate && undefined_values();
    const usize undefined = looks_at_values ? first_undefined(begin, invalid) : invalid;
    if (invalid < bytes && undefined == invalid) {
        report_buffer(part == Vg_CoreTranslate ? FindingKind::InvalidJump : FindingKind::InvalidRead, thread,
                      parameter, begin + invalid, bytes - invalid);
        return;
    }
    if (part == Vg_CoreSysCall) threads::tell_call_accessed(thread, begin, bytes, false);
    if (undefined < invalid) report_undefined(thread, parameter, begin + undefined);
}

void pre_mem_read_string(CorePart, ThreadId thread, const HChar* parameter, Addr begin) {
    if (!is_watching()) return;
    for (Addr a = begin;; ++a) {
        State state = shadow::get(a);
        if (state == State::Freed || (state == State::Unaddressable && is_invalid_for_good(a))) {
            report_buffer(FindingKind::InvalidRead, thread, parameter, a, 0);
            return;
        }
        if (state == State::Uninitialised && undefined_values()) {
            report_undefined(thread, parameter, a);
            return;
        }
        // Memory that is fine in the shadow may not be mapped.
        if ((a == begin || a % VKI_PAGE_SIZE == 0) && !VG_(am_is_valid_for_client)(a, 1, VKI_PROT_READ)) {
            report_buffer(FindingKind::InvalidRead, thread, parameter, a, 0);
            return;
        }
        if (*reinterpret_cast<const char*>(a) == 0) return;
    }
}

void pre_mem_write(CorePart, ThreadId thread, const HChar* parameter, Addr begin, SizeT bytes) {
    if (!is_watching()) return;
    settle_stack(begin, bytes);
    const usize invalid = first_unaddressable(begin, bytes);
    if (invalid < bytes)
        report_buffer(FindingKind::InvalidWrite, thread, parameter, begin + invalid, bytes - invalid);
}

void post_mem_write(CorePart part, ThreadId thread, Addr begin, SizeT bytes) {
    shadow::define_range(begin, bytes);
    if (part == Vg_CoreSysCall && is_watching()) threads::tell_call_accessed(thread, begin, bytes, true);
}

constexpr SizeT kMaxRegister = 32;

void pre_reg_read(CorePart part, ThreadId thread, const HChar* parameter, PtrdiffT offset, SizeT bytes) {
    if (part != Vg_CoreSysCall || !undefined_values() || !is_watching()) return;
    UChar shadow[kMaxRegister];
    CHECK_LE(bytes, kMaxRegister);
    VG_(get_shadow_regs_area)(thread, shadow, 1, offset, bytes);
    bool undefined = false;
    for (SizeT i = 0; i < bytes; ++i) undefined = undefined || shadow[i] != 0;
    if (!undefined) return;
    Finding finding;
    finding.kind = FindingKind::SyscallParam;
    finding.name = parameter;
    finding.in_memory = false;
    Int home = instrument::origin_offset(static_cast<Int>(offset));
    if (home >= 0)
        VG_(get_shadow_regs_area)(thread, reinterpret_cast<UChar*>(&finding.origin), 2,
                                  home - 2 * instrument::guest_layout().state_bytes, sizeof(finding.origin));
    findings::report(thread, finding);
}

void define_registers(ThreadId thread, PtrdiffT offset, SizeT bytes) {
    static const UChar kZeros[256] = {};
    while (bytes != 0) {
        SizeT piece = bytes < sizeof(kZeros) ? bytes : sizeof(kZeros);
        VG_(set_shadow_regs_area)(thread, 1, offset, piece, kZeros);
        offset += static_cast<PtrdiffT>(piece);
        bytes -= piece;
    }
}
void post_reg_write(CorePart, ThreadId thread, PtrdiffT offset, SizeT bytes) {
    define_registers(thread, offset, bytes);
}
void post_reg_write_by_call(ThreadId thread, PtrdiffT offset, SizeT bytes, Addr) {
    define_registers(thread, offset, bytes);
}
void copy_mem_to_reg(CorePart, ThreadId thread, Addr, PtrdiffT offset, SizeT bytes) {
    define_registers(thread, offset, bytes);
}
void copy_reg_to_mem(CorePart part, ThreadId thread, PtrdiffT, Addr a, SizeT bytes) {
    post_mem_write(part, thread, a, bytes);
}

void make_fine(Address begin, usize bytes) {
    shadow::set_range(begin, bytes, State::Fine);
    forget_requested_origins(begin, bytes);
}
void move_mapping(Addr from, Addr to, SizeT bytes) {
    shadow::copy_range(to, from, bytes);
    if (!shadow::side_empty()) shadow::side_copy_range(to, from, bytes);
}

}  // namespace

void register_system_call_events() {
    VG_(track_pre_mem_read)(pre_mem_read);
    VG_(track_pre_mem_read_asciiz)(pre_mem_read_string);
    VG_(track_pre_mem_write)(pre_mem_write);
    VG_(track_post_mem_write)(post_mem_write);
    VG_(track_pre_reg_read)(pre_reg_read);
    VG_(track_post_reg_write)(post_reg_write);
    VG_(track_post_reg_write_clientcall_return)(post_reg_write_by_call);
    VG_(track_copy_mem_to_reg)(copy_mem_to_reg);
    VG_(track_copy_reg_to_mem)(copy_reg_to_mem);
    threads::listen({.mapped = make_fine, .unmapped = make_fine});
    VG_(track_copy_mem_remap)(move_mapping);
}

}  // namespace memspy::defects
