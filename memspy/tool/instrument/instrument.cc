// SPDX-License-Identifier: GPL-2.0-or-later
#include "instrument/instrument.h"

#include "instrument/core/policy.h"
#include "instrument/core/rare.h"
#include "instrument/core/sites.h"
#include "instrument/core/twins.h"
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

// VEX has 5 MB for a translation, and ends the program when they are used up. Sixty instructions that access two
// words each never come near that. Of others, each statement counts as one, and with an access as eight more for each
// word, or sixteen if it is guarded: then every analysis had room for 800 of sixty instructions that load 32 bytes
// each, and for half of that after VEX itself has read sixty gathers, on which Memcheck gives up.
constexpr u32 kMostWeight = 400;

class InstructionWeight {
public:
    void add(const Access& access) {
        const u32 words = (access.bytes + 7) / 8;
        accesses_ += words != 0 ? 1 : 0;
        is_ordinary_ &= words <= 1 && access.guard == nullptr && accesses_ <= 2;
        all_ += 1 + words * (access.guard != nullptr ? 16 : 8);
    }
    u32 value() const { return is_ordinary_ ? 0 : all_; }

private:
    u32 all_ = 0, accesses_ = 0;
    bool is_ordinary_ = true;
};

// The superblock ends before the instruction that comes to more.
void shorten(IRSB* in, int begin) {
    InstructionWeight weight;
    u32 before = 0;
    int mark = begin;
    for (int i = begin; i < in->stmts_used; ++i) {
        if (in->stmts[i]->tag == Ist_IMark) {
            before += weight.value();
            weight = {};
            mark = i;
        }
        weight.add(access_of(in, in->stmts[i]));
        if (before + weight.value() <= kMostWeight || mark == begin) continue;
        in->next = Emitter::u64c(instruction_address(in->stmts[mark]));
        in->jumpkind = Ijk_Boring;
        in->stmts_used = mark;
        return;
    }
}

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
    const bool is_site = TripSite::is_one(closure->readdr);
    const bool is_twin = is_site && TripSite(TripSite::place_of(closure->readdr)).kind() == SiteKind::Twin;
    if (is_site && !is_twin) return emit_site(closure->readdr);
    if (at_first_code != nullptr) {
        void (*call)() = at_first_code;
        at_first_code = nullptr;
        call();
    }
    translates_twin(is_twin);
    if (!policy().enabled || !(policy().check_accesses || observes_anything() || have_twins())) return in;
    int begin = preamble_end(in);
    if (begin == in->stmts_used) return in;
    const Address first = instruction_address(in->stmts[begin]);
    shorten(in, begin);
    mark_spins(in);
    begin_unchecked();
    IRSB* out = translate(in, first);
    finish_twins(out, first);
    note_unchecked(first);
    return out;
}

}  // namespace memspy::instrument
