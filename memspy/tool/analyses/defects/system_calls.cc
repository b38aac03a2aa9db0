// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyses/defects/system_calls.h"

#include "analyses/defects/accesses.h"
#include "analyses/defects/place.h"
#include "analyses/defects/requested_origins.h"
#include "analyses/defects/stack_memory.h"
#include "client/guards.h"
#include "client/parameters.h"
#include "client/system_calls.h"
#include "instrument/core/registers.h"
#include "options.h"
#include "shadow/shadow_map.h"
#include "shadow/side_table.h"
#include "vg/client_arena.h"
#include "vg/vg.h"

namespace memspy::defects {
namespace {

using findings::Finding;
using findings::FindingKind;
using shadow::State;

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

void reads(CorePart part, ThreadId thread, const HChar* parameter, Address begin, usize bytes) {
    // Where no code can be the fault will tell it (wild_pointers.h). What is there may be ours.
    if (part == Vg_CoreTranslate &&
        (!vg::has_client_memory(begin) || !VG_(am_is_valid_for_client)(begin, 1, VKI_PROT_EXEC)))
        return;
    client::lift_guards(begin, bytes);
    settle_stack(begin, bytes);
    const usize invalid = first_unaddressable(begin, bytes);
    const bool looks_at_values = part != Vg_CoreTranslate && undefined_values();
    const usize undefined = looks_at_values ? first_undefined(begin, invalid) : invalid;
    if (invalid < bytes && undefined == invalid) {
        report_buffer(part == Vg_CoreTranslate ? FindingKind::InvalidJump : FindingKind::InvalidRead, thread,
                      parameter, begin + invalid, bytes - invalid);
        return;
    }
    if (undefined < invalid) report_undefined(thread, parameter, begin + undefined);
}

void reads_string(ThreadId thread, const HChar* parameter, Address begin) {
    client::lift_guards();
    for (Address a = begin;; ++a) {
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

void writes(ThreadId thread, const HChar* parameter, Address begin, usize bytes) {
    client::meet_guards(thread, begin, bytes);
    settle_stack(begin, bytes);
    const usize invalid = first_unaddressable(begin, bytes);
    if (invalid < bytes)
        report_buffer(FindingKind::InvalidWrite, thread, parameter, begin + invalid, bytes - invalid);
}

constexpr usize kMaxRegister = 32;

void reads_register(ThreadId thread, const HChar* parameter, PtrdiffT offset, usize bytes) {
    if (!undefined_values()) return;
    UChar shadow[kMaxRegister];
    CHECK_LE(bytes, kMaxRegister);
    VG_(get_shadow_regs_area)(thread, shadow, 1, offset, bytes);
    bool undefined = false;
    for (usize i = 0; i < bytes; ++i) undefined = undefined || shadow[i] != 0;
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

// The first byte that fails of either kind.
bool parameter(u32 thread, const client::Parameter& given) {
    settle_stack(given.begin, given.bytes);
    Finding finding;
    finding.kind = FindingKind::MpiBuffer;
    finding.name = given.name;
    const usize invalid = first_unaddressable(given.begin, given.bytes);
    const usize undefined =
        given.values && undefined_values() ? first_undefined(given.begin, invalid) : invalid;
    if (undefined < invalid) {
        finding.address = given.begin + undefined;
        finding.origin = origin_of(finding.address);
        finding.sentence = "points to uninitialised byte(s)";
    } else if (invalid < given.bytes) {
        finding.address = given.begin + invalid;
        finding.size = given.bytes - invalid;
        finding.unaddressable = true;
        finding.sentence = "points to unaddressable byte(s)";
    } else {
        return false;
    }
    finding.place = place_of(finding.address, finding.address);
    findings::report(thread, finding);
    return true;
}

// As if the program had made the memory uninitialised by a request.
bool keep_values(u32 thread, Address begin, usize bytes) {
    if (!options().undef_value_errors || shadow::find_first(begin, bytes, 3) < bytes) return false;
    if (!shadow::side_empty()) shadow::side_forget_range(begin, bytes);
    shadow::set_range(begin, bytes, shadow::State::Uninitialised);
    note_state_outside_heap(begin);
    note_requested_origin(thread, begin, bytes, findings::Requester::Library);
    return true;
}
void return_values(Address begin, usize bytes) {
    shadow::define_range(begin, bytes);
    forget_requested_origins(begin, bytes);
}

}  // namespace

void judge_system_calls() {
    client::judge(parameter);
    client::judge(client::ValueKeeper{.keep = keep_values, .give_back = return_values});
    client::judge(
        {.reads = reads, .reads_string = reads_string, .writes = writes, .reads_register = reads_register});
}

}  // namespace memspy::defects
