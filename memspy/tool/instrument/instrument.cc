// SPDX-License-Identifier: GPL-2.0-or-later
#include "instrument/instrument.h"

#include "instrument/core/policy.h"
#include "instrument/core/rare.h"
#include "instrument/core/sites.h"
#include "instrument/core/unchecked.h"
#include "instrument/fast.h"
#include "instrument/observers.h"
#include "instrument/spins/spin_search.h"
#include "instrument/tracking.h"
#include "instrument/trip.h"
#include "vg/faults.h"

namespace memspy::instrument {
namespace {

void (*at_first_code)() = nullptr;

IRSB* translate(const IRSB* in, Address first) {
    begin_translation(0, false);
    if (!sites_left() || level_of(first) == Level::Track) return translate_tracking(in);
    begin_translation(first, have_observers_rare_form());
    IRSB* out = translate_fast(in);
    if (out != nullptr) return out;
    begin_translation(0, false);
    return translate_tracking(in);
}

}  // namespace

void call_at_first_code(void (*call)()) { at_first_code = call; }

IRSB* instrument(VgCallbackClosure* closure, IRSB* in, const VexGuestLayout*, const VexGuestExtents*,
                 const VexArchInfo*, IRType, IRType) {
    if (vg::is_only_looked_at(in)) return in;
    if (TripSite::is_one(closure->readdr)) return emit_site(closure->readdr);
    if (at_first_code != nullptr) {
        void (*call)() = at_first_code;
        at_first_code = nullptr;
        call();
    }
    if (!policy().enabled || (!policy().check_accesses && !observes_anything())) return in;
    int begin = preamble_end(in);
    if (begin == in->stmts_used) return in;
    const Address first = instruction_address(in->stmts[begin]);
    mark_spins(in);
    begin_unchecked();
    IRSB* out = translate(in, first);
    note_unchecked(first);
    return out;
}

}  // namespace memspy::instrument
