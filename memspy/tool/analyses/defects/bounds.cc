// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyses/defects/bounds.h"

#include "analyses/defects/quiet_ranges.h"
#include "findings/findings.h"
#include "instrument/bounds/outside.h"
#include "instrument/core/policy.h"
#include "vg/vg.h"

namespace memspy::defects {
namespace {

using findings::AddressOwner;
using findings::FindingKind;

void judge(const instrument::OutsideAccess& access) {
    if (!instrument::policy().enabled || is_quiet(access.address)) return;
    if (access.begin - access.address - 1 < access.variable->doubtful) return;
    findings::Finding finding;
    finding.kind = access.variable->is_static ? FindingKind::GlobalOverflow : FindingKind::StackOverflow;
    finding.address = access.address;
    finding.size = access.bytes;
    finding.writes = access.stores;
    finding.place.what = AddressOwner::OwnerKind::Variable;
    finding.place.offset = static_cast<i64>(access.address - access.begin);
    finding.place.size = access.variable->bytes;
    finding.place.name = access.variable->name;
    finding.place.declared_in = access.variable->function;
    findings::report(VG_(get_running_tid)(), finding);
}

}  // namespace

void report_accesses_beyond_variables() { instrument::check_bounds(judge); }

}  // namespace memspy::defects
