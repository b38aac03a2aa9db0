// SPDX-License-Identifier: GPL-2.0-or-later
#include "instrument/trip.h"

#include "rt/global.h"
#include "rt/hash_map.h"
#include "rt/lazy_array.h"

namespace memspy::instrument {
namespace {

// Room for four million sites; one is used per checked instruction, so 40 MB of code that runs fit.
// The region is reserved, not touched: its pages become real with the sites that stand in them.
constexpr usize kRegionBytes = usize{16} << 20;
constexpr usize kSiteBytes = 4;
constexpr u32 kSiteMask = (u32{1} << 30) - 1;
static_assert(kRegionBytes / kSiteBytes <= kSiteMask);

// A demoted instruction was quiet for this many executions of its superblock. Making two translations anew
// costs about as much as 20,000 executions save.
constexpr u32 kQuietExecutions = 20'000;
// An entry whose stale poison had to be cleared this often is dearer fast than tracked.
constexpr u32 kMaxPasses = 2'000;

enum class SiteKind : u8 { Access, Entry, Demotion };

// There is a site for nearly every checked instruction, so what only some have stands apart.
struct Site {
    Address instruction;
    u32 entry;  // Entry: index in `entries`
    SiteKind kind;
};
struct Entry {
    EntryUse use;
    u32 passes;
};
struct Tracked {
    Quiet* quiet;
    u32 demotion_site;
    u32 demotions;
};
struct InstructionState {
    u32 access_site : 30;  // index + 1
    u32 level : 2;
    u32 entry_site;  // index + 1
    u32 tracked;     // index + 1 in `tracked_instructions`
};
static_assert(sizeof(InstructionState) == 12);

Address region = 0;
constexpr u32 kMaxSites = kRegionBytes / kSiteBytes;
rt::Global<rt::LazyArray<Site, kMaxSites>> sites;
rt::Global<rt::LazyArray<Entry, kMaxSites>> entries;
rt::Global<rt::LazyArray<Tracked, kMaxSites>> tracked_instructions;
rt::Global<rt::HashMap<InstructionState>> instructions;
TripCounts counts;

// What a site's translation does after its helper.
enum Verdict : u64 { kContinue = 0, kDiscardInstruction = 1, kDiscardAll = 2 };

// One instruction that goes straight back, so that the core finds something to decode.
#if defined(VGA_amd64)
constexpr u32 kReturnInstruction = 0xC3C3C3C3;
#else
constexpr u32 kReturnInstruction = 0xD65F03C0;
#endif

Address address_of(u32 index) { return region + index * kSiteBytes; }

u32 new_site(SiteKind kind, Address instruction) {
    u32 index = sites->push_back(Site{.instruction = instruction, .entry = 0, .kind = kind});
    *reinterpret_cast<u32*>(address_of(index)) = kReturnInstruction;
    ++counts.sites;
    return index;
}

Tracked& tracked(InstructionState& instruction) {
    if (instruction.tracked == 0) instruction.tracked = tracked_instructions->push_back(Tracked{}) + 1;
    return (*tracked_instructions)[instruction.tracked - 1];
}

void set_level(InstructionState& instruction, Level level) {
    instruction.level = static_cast<u32>(level) & 3;
}

Verdict tripped_at_access(const Site& site) {
    ++counts.access_trips;
    InstructionState& instruction = (*instructions)[site.instruction];
    if (instruction.level != static_cast<u32>(Level::Track)) ++instruction.level;
    return kDiscardInstruction;
}

Verdict tripped_at_entry(const Site& site, u8* state) {
    RegisterMask& mask = mask_of(state);
    if (mask & kFlushAll) {
        mask &= ~kFlushAll;
        ++counts.flushes;
        return kDiscardAll;
    }
    ++counts.entry_trips;
    Entry& entry = (*entries)[site.entry];
    mask = poisoned_groups(state, ~RegisterMask{0});
    if ((mask & entry.use.touched) != 0 && entry.passes < kMaxPasses) {
        for (u32 i = 0; i < entry.use.overwrites; ++i)
            clear_shadow(state, entry.use.overwritten[i].offset, entry.use.overwritten[i].bytes);
        mask = poisoned_groups(state, mask);
        ++entry.passes;
    }
    if ((mask & entry.use.touched) == 0) {
        ++counts.entry_passes;
        return kContinue;
    }
    set_level((*instructions)[site.instruction], Level::Track);
    return kDiscardInstruction;
}

Verdict demoted(const Site& site) {
    ++counts.demotions;
    InstructionState& instruction = (*instructions)[site.instruction];
    // Not Level::Shared: what tripped once may be the neighbour of what others may not touch.
    if (instruction.level == static_cast<u32>(Level::Track)) set_level(instruction, Level::Single);
    Tracked& history = tracked(instruction);
    if (history.demotions < 12) ++history.demotions;
    return kDiscardInstruction;
}

// Runs in generated code. `state` is the running thread's guest state.
extern "C" ULong memspy_tripped(u8* state, ULong index) {
    const Site& site = (*sites)[static_cast<u32>(index)];
    switch (site.kind) {
        case SiteKind::Access: return tripped_at_access(site);
        case SiteKind::Entry: return tripped_at_entry(site, state);
        case SiteKind::Demotion: return demoted(site);
    }
    return kContinue;
}

}  // namespace

void initialise_sites() {
    // Memory of the client arena is readable, writable and executable client memory, as the core wants code
    // to be.
    region = reinterpret_cast<Address>(VG_(cli_malloc)(VKI_PAGE_SIZE, kRegionBytes));
    CHECK_NE(region, 0u);
}

Level level_of(Address instruction) {
    InstructionState* state = instructions->find(instruction);
    return state == nullptr ? Level::Shared : static_cast<Level>(state->level);
}

void raise_level(Address instruction, Level level) {
    InstructionState& state = (*instructions)[instruction];
    if (state.level < static_cast<u32>(level)) set_level(state, level);
}

Address access_site(Address instruction) {
    InstructionState& state = (*instructions)[instruction];
    if (state.access_site == 0) state.access_site = (new_site(SiteKind::Access, instruction) + 1) & kSiteMask;
    return address_of(state.access_site - 1);
}

Address entry_site(Address first_instruction, const EntryUse& use) {
    InstructionState& state = (*instructions)[first_instruction];
    if (state.entry_site == 0) {
        u32 index = new_site(SiteKind::Entry, first_instruction);
        (*sites)[index].entry = entries->push_back(Entry{});
        state.entry_site = index + 1;
    }
    u32 index = state.entry_site - 1;
    (*entries)[(*sites)[index].entry].use = use;  // a newer translation may reach further than an older one
    return address_of(index);
}

Address demotion_site(Address instruction) {
    Tracked& history = tracked((*instructions)[instruction]);
    if (history.demotion_site == 0) history.demotion_site = new_site(SiteKind::Demotion, instruction) + 1;
    return address_of(history.demotion_site - 1);
}

Quiet* quiet_countdown(Address instruction) {
    Tracked& history = tracked((*instructions)[instruction]);
    if (history.quiet == nullptr)
        history.quiet = static_cast<Quiet*>(rt::allocate(sizeof(Quiet), "memspy.quiet_countdown"));
    history.quiet->left = history.quiet->reload = kQuietExecutions << history.demotions;
    return history.quiet;
}

bool is_site(Address a) { return a - region < kRegionBytes; }

// Emits
//   verdict = memspy_tripped(state, index)
//   if (verdict == kContinue) goto instruction
//   CMSTART, CMLEN = verdict == kDiscardAll ? everything : the instruction's first byte
//   goto {InvalICache} instruction
IRSB* emit_site(Address a) {
    u32 index = static_cast<u32>((a - region) / kSiteBytes);
    const Site& site = (*sites)[static_cast<u32>(index)];
    IRSB* block = emptyIRSB();
    Emitter emit(block);

    IRTemp verdict_temp = emit.new_temp(Ity_I64);
    IRDirty* call = unsafeIRDirty_1_N(verdict_temp, 0, "memspy_tripped",
                                      VG_(fnptr_to_fnentry)(reinterpret_cast<void*>(&memspy_tripped)),
                                      mkIRExprVec_2(IRExpr_GSPTR(), Emitter::u64c(index)));
    // The helper works on the shadows, which no statement of this block touches; a guest-state pointer must
    // come with a declared effect all the same.
    call->nFxState = 1;
    VG_(memset)(&call->fxState, 0, sizeof(call->fxState));
    call->fxState[0].fx = Ifx_Read;
    call->fxState[0].offset = static_cast<UShort>(guest_layout().stack_pointer);
    call->fxState[0].size = 8;
    emit.add(IRStmt_Dirty(call));

    IRExpr* verdict = IRExpr_RdTmp(verdict_temp);
    IRExpr* stay = emit.binop(Iop_CmpEQ64, verdict, Emitter::u64c(kContinue));
    emit.add(IRStmt_Exit(stay, Ijk_Boring, IRConst_U64(site.instruction), guest_layout().program_counter));

    IRExpr* all = emit.binop(Iop_CmpEQ64, verdict, Emitter::u64c(kDiscardAll));
    emit.put(offsetof(VexGuestArchState, guest_CMSTART),
             emit.ite(all, Emitter::u64c(VKI_PAGE_SIZE), Emitter::u64c(site.instruction)));
    emit.put(offsetof(VexGuestArchState, guest_CMLEN),
             emit.ite(all, Emitter::u64c((u64{1} << 47) - 2 * VKI_PAGE_SIZE), Emitter::u64c(1)));
    block->next = Emitter::u64c(site.instruction);
    block->jumpkind = Ijk_InvalICache;
    block->offsIP = guest_layout().program_counter;
    return block;
}

void request_flush() {
    ThreadId thread = VG_(get_running_tid)();
    if (thread == VG_INVALID_THREADID) return;  // nothing has run yet
    const PtrdiffT home = mask_offset() - guest_layout().state_bytes;
    RegisterMask mask = 0;
    VG_(get_shadow_regs_area)(thread, reinterpret_cast<UChar*>(&mask), 1, home, sizeof(mask));
    mask |= kFlushAll;
    VG_(set_shadow_regs_area)(thread, 1, home, sizeof(mask), reinterpret_cast<const UChar*>(&mask));
}

const TripCounts& trip_counts() { return counts; }

}  // namespace memspy::instrument
