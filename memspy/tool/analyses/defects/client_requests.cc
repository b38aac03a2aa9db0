// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyses/defects/client_requests.h"

#include "analyses/defects/accesses.h"
#include "analyses/defects/leak_check.h"
#include "analyses/defects/named_blocks.h"
#include "analyses/defects/place.h"
#include "analyses/defects/pools.h"
#include "analyses/defects/quiet_ranges.h"
#include "analyses/defects/requested_origins.h"
#include "analyses/defects/stack_memory.h"
#include "analyses/defects/unseen_writes.h"
#include "analyses/defects/value_bits.h"
#include "client/guards.h"
#include "instrument/core/policy.h"
#include "instrument/stack/stack_floor.h"
#include "memspy.h"
#include "options.h"
#include "shadow/shadow_map.h"
#include "shadow/side_table.h"
#include "vg/compat.h"

namespace memspy::defects {
namespace {

using shadow::State;

void set_state(Address a, usize bytes, State state) {
    if (state == State::Uninitialised) {
        if (!options().undef_value_errors) state = State::Fine;
        if (!shadow::side_empty()) shadow::side_forget_range(a, bytes);
    }
    shadow::set_range(a, bytes, state);
    if (state != State::Fine) note_state_outside_heap(a);
    if (state == State::Unaddressable && (!heap::is_heap_memory(a) || instrument::is_in_stack_block(a)))
        note_request(a, bytes);
}

// Returns the first byte that fails, or 0. Reports the first undefined and the first unaddressable byte.
Address check_memory(ThreadId thread, Address a, usize bytes, bool defined) {
    if (!instrument::policy().enabled) define_what_was_not_seen();
    auto report = [&](usize bad, bool unaddressable) {
        findings::Finding finding;
        finding.kind = findings::FindingKind::ClientCheck;
        finding.address = a + bad;
        finding.unaddressable = unaddressable;
        finding.place = place_of(a + bad, a + bad);
        if (!unaddressable) finding.origin = origin_of(a + bad);
        findings::report(thread, finding);
    };
    const usize invalid = first_unaddressable(a, bytes);
    const usize undefined = defined ? first_undefined(a, bytes) : bytes;
    if (undefined < bytes) report(undefined, false);
    if (invalid < bytes) report(invalid, true);
    const usize bad = invalid < undefined ? invalid : undefined;
    if (bad == bytes) return 0;
    // 0 means "all right", so a check of a null pointer gives the address behind it (Memcheck: 0).
    return a + bad == 0 ? 1 : a + bad;
}

void leak_check(ThreadId thread, UWord report, UWord compare) {
    LeakRequest request = leak_request_from_options();
    request.mode = report == MEMSPY_LEAK_REPORT_SUMMARY ? LeakCheck::Summary : LeakCheck::Full;
    request.delta = compare == MEMSPY_LEAK_COMPARE_GROWN     ? LeakDelta::Increased
                    : compare == MEMSPY_LEAK_COMPARE_CHANGED ? LeakDelta::Changed
                                                             : LeakDelta::Any;
    run_leak_check(thread, request);
}

void count_leaks(const UWord* arguments, u64 LeakAmount::*what) {
    const LeakCounts& counts = last_leak_counts();
    const u64 values[4] = {counts.definite.*what + counts.indirect.*what, counts.possible.*what,
                           counts.reachable.*what, counts.suppressed.*what};
    for (int i = 0; i < 4; ++i) {
        *reinterpret_cast<UWord*>(arguments[i + 1]) = values[i];
        shadow::set_range(arguments[i + 1], sizeof(UWord), State::Fine);
    }
}

void record_overlap(ThreadId thread, const UWord* arguments) {
    findings::Finding finding;
    finding.kind = findings::FindingKind::Overlap;
    finding.name = reinterpret_cast<const char*>(arguments[1]);
    finding.address = arguments[2];
    finding.source = arguments[3];
    finding.size = arguments[4];
    findings::report(thread, finding);
}

// Memcheck's requests with memspy's numbers; others unchanged.
UWord normalised(UWord request) {
    switch (request) {
        case VG_USERREQ__MAKE_MEM_NOACCESS: return MEMSPY_REQ_MAKE_MEM_NOACCESS;
        case VG_USERREQ__MAKE_MEM_UNDEFINED: return MEMSPY_REQ_MAKE_MEM_UNDEFINED;
        case VG_USERREQ__MAKE_MEM_DEFINED: return MEMSPY_REQ_MAKE_MEM_DEFINED;
        case VG_USERREQ__MAKE_MEM_DEFINED_IF_ADDRESSABLE: return MEMSPY_REQ_MAKE_MEM_DEFINED_IF_ADDRESSABLE;
        case VG_USERREQ__CHECK_MEM_IS_ADDRESSABLE: return MEMSPY_REQ_CHECK_MEM_IS_ADDRESSABLE;
        case VG_USERREQ__CHECK_MEM_IS_DEFINED: return MEMSPY_REQ_CHECK_MEM_IS_DEFINED;
        case VG_USERREQ__DO_LEAK_CHECK: return MEMSPY_REQ_DO_LEAK_CHECK;
        case VG_USERREQ__COUNT_LEAKS: return MEMSPY_REQ_COUNT_LEAKS;
        case VG_USERREQ__COUNT_LEAK_BLOCKS: return MEMSPY_REQ_COUNT_LEAK_BLOCKS;
        case VG_USERREQ__GET_VBITS: return MEMSPY_REQ_GET_VBITS;
        case VG_USERREQ__SET_VBITS: return MEMSPY_REQ_SET_VBITS;
        case VG_USERREQ__CREATE_BLOCK: return MEMSPY_REQ_CREATE_BLOCK;
        case VG_USERREQ__DISCARD: return MEMSPY_REQ_DISCARD;
        case VG_USERREQ__DISABLE_ADDR_ERROR_REPORTING_IN_RANGE: return MEMSPY_REQ_DISABLE_REPORTS;
        case VG_USERREQ__ENABLE_ADDR_ERROR_REPORTING_IN_RANGE: return MEMSPY_REQ_ENABLE_REPORTS;
        default: return request;
    }
}

bool handle(ThreadId thread, u64* arguments, u64* result) {
    const Address a = arguments[1];
    const usize bytes = arguments[2];
    // Memcheck's own requests return the same as under Memcheck.
    const u64 done = normalised(arguments[0]) == arguments[0] ? 1 : ~u64{0};
    *result = 0;
    switch (normalised(arguments[0])) {
        case MEMSPY_REQ_MAKE_MEM_NOACCESS:
            set_state(a, bytes, State::Unaddressable);
            *result = done;
            return true;
        case MEMSPY_REQ_MAKE_MEM_UNDEFINED:
            set_state(a, bytes, State::Uninitialised);
            if (options().undef_value_errors)
                note_requested_origin(thread, a, bytes, findings::Requester::Program);
            *result = done;
            return true;
        case MEMSPY_REQ_MAKE_MEM_DEFINED:
            set_state(a, bytes, State::Fine);
            *result = done;
            return true;
        case MEMSPY_REQ_MAKE_MEM_DEFINED_IF_ADDRESSABLE:
            shadow::define_range(a, bytes);
            *result = done;
            return true;
        case MEMSPY_REQ_CHECK_MEM_IS_ADDRESSABLE:
            *result = check_memory(thread, a, bytes, false);
            return true;
        case MEMSPY_REQ_CHECK_MEM_IS_DEFINED: *result = check_memory(thread, a, bytes, true); return true;
        case MEMSPY_REQ_DO_LEAK_CHECK: leak_check(thread, arguments[1], arguments[2]); return true;
        case MEMSPY_REQ_COUNT_LEAKS: count_leaks(arguments, &LeakAmount::bytes); return true;
        case MEMSPY_REQ_COUNT_LEAK_BLOCKS: count_leaks(arguments, &LeakAmount::blocks); return true;
        case MEMSPY_REQ_GET_VBITS:
            if (!instrument::policy().enabled) define_what_was_not_seen();
            *result = static_cast<u64>(get_value_bits(a, arguments[2], arguments[3]));
            return true;
        case MEMSPY_REQ_SET_VBITS:
            *result = static_cast<u64>(set_value_bits(a, arguments[2], arguments[3]));
            return true;
        case MEMSPY_REQ_CREATE_BLOCK:
            *result = create_named_block(thread, a, bytes, reinterpret_cast<const char*>(arguments[3]));
            return true;
        case MEMSPY_REQ_DISCARD: *result = discard_named_block(arguments[2]) ? 0 : 1; return true;
        case MEMSPY_REQ_DISABLE_REPORTS: *result = disable_reports(a, bytes) ? 1 : 0; return true;
        case MEMSPY_REQ_ENABLE_REPORTS: *result = enable_reports(a, bytes) ? 1 : 0; return true;
        case MEMSPY_REQ_RECORD_OVERLAP:
            if (instrument::policy().enabled) record_overlap(thread, arguments);
            return true;

        case MEMSPY_REQ_HEAP_IN_USE: *result = heap::totals().live_bytes; return true;

        case VG_USERREQ__MALLOCLIKE_BLOCK:
            malloclike_block(thread, a, bytes, arguments[3], arguments[4]);
            return true;
        case VG_USERREQ__FREELIKE_BLOCK: freelike_block(thread, a); return true;
        case VG_USERREQ__RESIZEINPLACE_BLOCK:
            resize_in_place(thread, a, bytes, arguments[3], arguments[4]);
            return true;
        case VG_USERREQ__CREATE_MEMPOOL:
            create_pool(thread, a, bytes, arguments[3], (arguments[4] & VALGRIND_MEMPOOL_AUTO_FREE) != 0);
            return true;
        case VG_USERREQ__DESTROY_MEMPOOL: destroy_pool(thread, a); return true;
        case VG_USERREQ__MEMPOOL_ALLOC: pool_alloc(thread, a, arguments[2], arguments[3]); return true;
        case VG_USERREQ__MEMPOOL_FREE: pool_free(thread, a, arguments[2]); return true;
        case VG_USERREQ__MEMPOOL_TRIM: pool_trim(thread, a, arguments[2], arguments[3]); return true;
        case VG_USERREQ__MOVE_MEMPOOL: move_pool(thread, a, arguments[2]); return true;
        case VG_USERREQ__MEMPOOL_CHANGE:
            pool_change(thread, a, arguments[2], arguments[3], arguments[4]);
            return true;
        case VG_USERREQ__MEMPOOL_EXISTS: *result = pool_exists(a); return true;
        default: return false;
    }
}

}  // namespace

bool handle_client_request(u32 thread, u64* arguments, u64* result) {
    client::lift_guards();  // what requests ask about and change are the bytes' own states
    const instrument::Policy before = instrument::policy();
    const bool known = handle(thread, arguments, result);
    const instrument::Policy& after = instrument::policy();
    if (before.check_stack != after.check_stack || before.check_static != after.check_static)
        vg::discard_translations();
    return known;
}

}  // namespace memspy::defects
