// SPDX-License-Identifier: GPL-2.0-or-later
#include "instrument/trip.h"

#include "instrument/core/registers.h"
#include "instrument/core/sites.h"
#include "instrument/core/state_call.h"
#include "instrument/core/tracking_hooks.h"
#include "instrument/core/unchecked.h"
#include "instrument/observers.h"
#include "instrument/stack/stack_window.h"

namespace memspy::instrument {
namespace {

TripCounts counts;

// Action of a site's translation after its helper.
enum Verdict : u64 { kContinue = 0, kDiscardInstruction = 1 };

Address checked_address(const u8* state) {
    return *reinterpret_cast<const Address*>(state + checked_offset());
}

Verdict track(const TripSite& site) {
    site.track();
    return kDiscardInstruction;
}

Verdict tripped_at_access(const TripSite& site) {
    ++counts.access_trips;
    if (site.level() >= Level::Exact) return track(site);
    // Not Level::Single: of 100 instructions that trip while they share a check, 97 trip again there.
    site.raise(Level::Exact);
    return kDiscardInstruction;
}

Verdict tripped_at_entry(const TripSite& site, u8* state) {
    RegisterMask& mask = mask_of(state);
    if (mask & kFlush) {
        mask &= ~kFlush;
        ++counts.flushes;
        discard_unchecked();
        return kDiscardInstruction;
    }
    ++counts.entry_trips;
    const EntryUse& use = site.entry_use();
    // Only the groups that the superblock touches are looked at: this is frequent in programs that leave
    // undefined values in registers.
    mask = (mask & ~use.touched) | poisoned_groups(state, mask & use.touched);
    if ((mask & use.touched) != 0) {
        for (u32 i = 0; i < use.overwrites; ++i)
            clear_shadow(state, use.overwritten[i].offset, use.overwritten[i].bytes);
        mask = (mask & ~use.touched) | poisoned_groups(state, mask & use.touched);
    }
    if ((mask & use.touched) == 0) {
        ++counts.entry_passes;
        return kContinue;
    }
    return track(site);
}

}  // namespace

// Runs in generated code. `state` is the running thread's guest state, `place` the site's in the region.
extern "C" [[gnu::used]] ULong memspy_tripped(ULong place, u8* state) {
    const TripSite site(place);
    switch (site.kind()) {
        case SiteKind::Access:
            tell_tripped(state, site.instruction());
            if (tracking_hooks().prepare(checked_address(state))) return kContinue;
            return tripped_at_access(site);
        case SiteKind::Entry: return tripped_at_entry(site, state);
        case SiteKind::Demotion:
            ++counts.demotions;
            site.demote();
            return kDiscardInstruction;
        case SiteKind::Full: tell_full(state); return kContinue;
        case SiteKind::Exact:
            tell_tripped(state, site.instruction());
            ++counts.access_trips;
            return track(site);
        case SiteKind::Stack:
            ++counts.stack_trips;
            if (enter_stack_window(state)) return kContinue;
            return track(site);
        case SiteKind::Twin: break;  // is code
    }
    return kContinue;
}
MEMSPY_STATE_HELPER(memspy_tripped, 1);

void initialise_trips() {
    reserve_sites();
    initialise_unchecked();
}

// Emits
//   verdict = memspy_tripped(state, place)
//   if (verdict == kContinue) goto instruction
//   CMSTART, CMLEN = the instruction's first byte
//   goto {InvalICache} instruction
IRSB* emit_site(Address a) {
    const u64 place = TripSite::place_of(a);
    const Address instruction = TripSite(place).instruction();
    IRSB* block = emptyIRSB();
    Emitter emit(block);

    IRTemp verdict_temp = emit.new_temp(Ity_I64);
    IRDirty* call = unsafeIRDirty_1_N(verdict_temp, 0, "memspy_tripped",
                                      VG_(fnptr_to_fnentry)(MEMSPY_STATE_ENTRY(memspy_tripped)),
                                      arguments_and_state(Emitter::u64c(place)));
    declare_effect(call, guest_layout().stack_pointer);
    emit.add(IRStmt_Dirty(call));

    IRExpr* verdict = IRExpr_RdTmp(verdict_temp);
    IRExpr* stay = emit.binop(Iop_CmpEQ64, verdict, Emitter::u64c(kContinue));
    emit.add(IRStmt_Exit(stay, Ijk_Boring, IRConst_U64(instruction), guest_layout().program_counter));

    emit.put(offsetof(VexGuestArchState, guest_CMSTART), Emitter::u64c(instruction));
    emit.put(offsetof(VexGuestArchState, guest_CMLEN), Emitter::u64c(1));
    block->next = Emitter::u64c(instruction);
    block->jumpkind = Ijk_InvalICache;
    block->offsIP = guest_layout().program_counter;
    return block;
}

const TripCounts& trip_counts() {
    counts.instructions = site_instructions();
    return counts;
}

}  // namespace memspy::instrument
