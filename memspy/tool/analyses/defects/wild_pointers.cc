// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyses/defects/wild_pointers.h"

#include "analyses/defects/place.h"
#include "analyses/defects/quiet_ranges.h"
#include "analyses/defects/whole_calls.h"
#include "instrument/core/policy.h"
#include "instrument/faulting_access.h"
#include "shadow/shadow_map.h"
#include "vg/vg.h"

namespace memspy::defects {
namespace {

using findings::Finding;
using findings::FindingKind;

// A page that forbids only this kind of access is no wild one. Pages that forbid all, such as garbage
// collectors have, are if nobody waits for the fault.
bool is_known_page(Address a, bool is_handled) {
    return (is_handled && VG_(am_is_valid_for_client)(a, 1, VKI_PROT_NONE)) ||
           VG_(am_is_valid_for_client)(a, 1, VKI_PROT_READ) ||
           VG_(am_is_valid_for_client)(a, 1, VKI_PROT_WRITE) ||
           VG_(am_is_valid_for_client)(a, 1, VKI_PROT_EXEC);
}

// A stack that has no room left is none: its frame is the program's, only the memory is not there.
bool is_in_frame(ThreadId thread, Address a) {
    constexpr Address kBelow = 128 + 8, kAbove = Address{1} << 20;  // red zone and the word that is pushed
    const Address sp = VG_(get_SP)(thread);
    if (a - (sp - kBelow) >= kBelow + kAbove) return false;
    return a < sp || !VG_(am_is_valid_for_client)(sp, 1, VKI_PROT_NONE);
}

// Where memory has states the access was reported by them, before it came to fault.
bool was_reported(Address a) {
    return a >> kClientAddressBits == 0 && shadow::get(a) >= shadow::State::Freed;
}

void report_length(u32 thread, usize length) {
    const HChar* function = nullptr;
    Finding finding;
    finding.kind = FindingKind::FishyValue;
    finding.argument = "size";
    finding.value = static_cast<i64>(length);
    finding.name = VG_(get_fnname)(VG_(current_DiEpoch)(), VG_(get_IP)(thread), &function) ? function : "???";
    findings::report(thread, finding);
}

// Pages without any permission may wait for this, too.
void report_jump(const vg::CodeFault& fault) {
    const bool is_awaited = fault.is_handled &&
                            VG_(am_is_valid_for_client)(fault.address, 1, VKI_PROT_NONE) &&
                            !VG_(am_is_valid_for_client)(fault.address, 1, VKI_PROT_READ);
    if (is_awaited || is_quiet(fault.address)) return;
    Finding finding;
    finding.kind = FindingKind::InvalidJump;
    finding.address = fault.address;
    finding.size = 1;
    finding.place = place_of(fault.address, fault.address);
    findings::report(fault.guest_id, finding);
}

void heard(const vg::CodeFault& fault) {
    if (!instrument::policy().enabled || !instrument::policy().check_accesses) return;
    if (fault.is_jump) return report_jump(fault);
    const Address at = fault.address;
    if (fault.knows_address && (is_known_page(at, fault.is_handled) || was_reported(at))) return;
    if (usize length = 0; is_call_of_absurd_length(&length)) return report_length(fault.guest_id, length);
    const instrument::FaultingAccess access = instrument::faulting_access(fault);
    if (access.bytes == 0) return;
    const Address bad = fault.knows_address ? fault.address : access.address;
    if (is_in_frame(fault.guest_id, bad) || is_quiet(bad)) return;
    Finding finding;
    finding.kind = access.stores ? FindingKind::InvalidWrite : FindingKind::InvalidRead;
    finding.address = access.address;
    finding.size = access.bytes;
    if (bad >> kClientAddressBits == 0) finding.place = place_of(access.address, bad);
    findings::report(fault.guest_id, finding);
}

}  // namespace

void report_wild_pointers() { vg::listen_for_faults(heard); }

}  // namespace memspy::defects
