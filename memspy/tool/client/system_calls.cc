// SPDX-License-Identifier: GPL-2.0-or-later
#include "client/system_calls.h"

#include "client/guards.h"
#include "client/kernel_rings.h"
#include "client/kernel_writes.h"
#include "instrument/core/policy.h"
#include "shadow/shadow_map.h"
#include "shadow/side_table.h"
#include "threads/registry.h"

namespace memspy::client {
namespace {

constinit KernelAccesses g_judge{};

// While instrumentation is off, nothing is judged, and the program's writes are not known.
bool is_watching() { return instrument::policy().enabled; }

// A call that names memory which is not the program's fails, and reads nothing.
void tell_read(CorePart part, ThreadId thread, Address begin, usize bytes) {
    if (part == Vg_CoreSysCall && VG_(am_is_valid_for_client)(begin, bytes, VKI_PROT_READ))
        threads::tell_call_accessed(thread, begin, bytes, false);
}

void pre_mem_read(CorePart part, ThreadId thread, const HChar* parameter, Addr begin, SizeT bytes) {
    if (!is_watching()) return;
    if (part == Vg_CoreSysCall) bytes = bytes_read(thread, parameter, bytes);
    if (g_judge.reads != nullptr) g_judge.reads(part, thread, parameter, begin, bytes);
    tell_read(part, thread, begin, bytes);
}

void pre_mem_read_string(CorePart, ThreadId thread, const HChar* parameter, Addr begin) {
    if (is_watching() && g_judge.reads_string != nullptr) g_judge.reads_string(thread, parameter, begin);
}

void pre_mem_write(CorePart part, ThreadId thread, const HChar* parameter, Addr begin, SizeT bytes) {
    if (part == Vg_CoreSysCall) bytes = room_for(thread, bytes);
    if (is_watching() && g_judge.writes != nullptr) g_judge.writes(thread, parameter, begin, bytes);
}

void post_mem_write(CorePart part, ThreadId thread, Addr begin, SizeT bytes) {
    if (part == Vg_CoreSysCall) bytes = bytes_written(thread, begin, bytes);
    shadow::define_range(begin, bytes);
    if (part == Vg_CoreSysCall && is_watching()) threads::tell_call_accessed(thread, begin, bytes, true);
}

void before_call(threads::Thread, u32 thread, u32 number, const u64* arguments) {
    note_call(thread, number, arguments);
    tell_submitted(shadow::define_range);
}
void after_call(threads::Thread, u32 thread, u32 number, const u64* arguments, i64 result) {
    tell_further_writes(thread, result, shadow::define_range);
    if (result >= 0) note_ring_call(number, arguments, static_cast<u64>(result));
}

void pre_reg_read(CorePart part, ThreadId thread, const HChar* parameter, PtrdiffT offset, SizeT bytes) {
    if (part == Vg_CoreSysCall && is_watching() && g_judge.reads_register != nullptr)
        g_judge.reads_register(thread, parameter, offset, bytes);
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

void make_fine(Address begin, usize bytes) { shadow::set_range(begin, bytes, shadow::State::Fine); }
void move_mapping(Addr from, Addr to, SizeT bytes) {
    lift_guards(from, bytes);
    shadow::copy_range(to, from, bytes);
    if (!shadow::side_empty()) shadow::side_copy_range(to, from, bytes);
}

}  // namespace

void register_system_calls() {
    VG_(track_pre_mem_read)(pre_mem_read);
    VG_(track_pre_mem_read_asciiz)(pre_mem_read_string);
    VG_(track_pre_mem_write)(pre_mem_write);
    VG_(track_post_mem_write)(post_mem_write);
    VG_(track_pre_reg_read)(pre_reg_read);
    VG_(track_post_reg_write)(post_reg_write);
    VG_(track_post_reg_write_clientcall_return)(post_reg_write_by_call);
    VG_(track_copy_mem_to_reg)(copy_mem_to_reg);
    VG_(track_copy_reg_to_mem)(copy_reg_to_mem);
    VG_(track_copy_mem_remap)(move_mapping);
    threads::listen(
        {.before_call = before_call, .after_call = after_call, .mapped = make_fine, .unmapped = make_fine});
}

void judge(const KernelAccesses& judge) { g_judge = judge; }

}  // namespace memspy::client
