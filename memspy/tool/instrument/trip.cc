// SPDX-License-Identifier: GPL-2.0-or-later
#include "instrument/trip.h"

#include "instrument/access_log.h"
#include "instrument/instrument.h"
#include "instrument/operation_counts.h"
#include "instrument/registers.h"
#include "instrument/stack_window.h"
#include "instrument/state_call.h"
#include "instrument/tracking.h"
#include "instrument/unchecked.h"
#include "rt/global.h"
#include "rt/hash_map.h"
#include "rt/lazy_array.h"
#include "rt/number_table.h"
#include "shadow/shadow_map.h"
#include "vg/translator.h"

namespace memspy::instrument {
namespace {

// Space for four million instructions that can trip: 40 MB of executed code. Each has six adjacent sites, one
// of each kind. The region is only reserved: nothing is ever written to it, because the core decodes kSiteCode
// in place of what is there (vg::decode_instead).
constexpr u32 kMaxInstructions = u32{4} << 20;
enum class SiteKind : u8 { Access, Entry, Demotion, Log, Exact, Stack };
constexpr u32 kSitesEach = 6;
// A return instruction, and room for what a decoder looks at behind it.
#if defined(VGA_amd64)
using SiteCode = u8;
alignas(16) constexpr SiteCode kSiteCode[64] = {0xC3};
#else
using SiteCode = u32;
alignas(16) constexpr SiteCode kSiteCode[16] = {0xD65F03C0};
#endif
constexpr usize kRegionBytes = usize{kMaxInstructions} * kSitesEach * sizeof(SiteCode);
constexpr u32 kMaxBlocks = kMaxInstructions / 4;

// A demoted instruction was quiet for this many executions of its superblock. Making two translations again
// costs about as much as 20,000 executions save.
constexpr u32 kQuietExecutions = 20'000;
// Each demotion that was too early doubles the wait for the next one. It was not if the fast translation lasted
// for this many milliseconds, ten times what the translations take.
constexpr u32 kWorthwhile = 16;
constexpr u8 kMostDoublings = 12;

// There is one for each checked instruction, so data that only some need is kept elsewhere.
struct TripInstruction {
    u64 address : shadow::kAddressBits;
    u64 entry : 21;  // index + 1 in `entries`
    u64 level : 2;
};
static_assert(sizeof(TripInstruction) == 8 && kMaxBlocks < 1u << 21);
// Of an instruction that has been tracked.
struct History {
    Quiet* quiet;
    u32 demoted_at;  // in milliseconds since the start
    u8 doublings;
    bool was_demoted;
};

constexpr u64 kClientAddresses = (u64{1} << shadow::kAddressBits) - 1;

Address checked_address(const u8* state) {
    return *reinterpret_cast<const Address*>(state + checked_offset());
}

u64 hash_of(Address address) { return address * 0x9E3779B97F4A7C15u; }

Address region = 0;
rt::Global<rt::LazyArray<TripInstruction, kMaxInstructions>> instructions;
rt::Global<rt::NumberTable> instruction_numbers;  // by address
// Many superblocks use registers alike: each use is kept once.
rt::Global<rt::LazyArray<EntryUse, kMaxBlocks>> entries;
rt::Global<rt::NumberTable> entry_numbers;
rt::Global<rt::HashMap<History>> histories;  // by address
TripCounts counts;
void (*log_full)(u8* state) = nullptr;

// Action of a site's translation after its helper.
enum Verdict : u64 { kContinue = 0, kDiscardInstruction = 1 };

Address address_of(u32 number, SiteKind kind) {
    return region + (usize{number} * kSitesEach + static_cast<u32>(kind)) * sizeof(SiteCode);
}

// The instruction's number, or rt::NumberTable::kNone.
u32 known_number_of(Address instruction) {
    return instruction_numbers->find(
        hash_of(instruction), [&](u32 number) { return (*instructions)[number].address == instruction; });
}

u32 number_of(Address instruction) {
    const u32 known = known_number_of(instruction);
    if (known != rt::NumberTable::kNone) return known;
    DCHECK_EQ(instruction >> shadow::kAddressBits, 0u);
    const u32 number = instructions->push_back(
        TripInstruction{.address = instruction & kClientAddresses, .entry = 0, .level = 0});
    instruction_numbers->add(hash_of(instruction), number,
                             [](u32 other) { return hash_of((*instructions)[other].address); });
    return number;
}

u64 hash_of(const EntryUse& use) {
    u64 hash = (use.touched + (u64{use.overwrites} << 32)) * 0x9E3779B97F4A7C15u;
    for (u32 i = 0; i < use.overwrites; ++i)
        hash =
            (hash ^ (u64{use.overwritten[i].offset} << 16 | use.overwritten[i].bytes)) * 0x9E3779B97F4A7C15u;
    return hash;
}

u32 number_of(const EntryUse& use) {
    const u64 hash = hash_of(use);
    const u32 known = entry_numbers->find(hash, [&](u32 number) { return (*entries)[number] == use; });
    if (known != rt::NumberTable::kNone) return known;
    const u32 number = entries->push_back(use);
    entry_numbers->add(hash, number, [](u32 other) { return hash_of((*entries)[other]); });
    return number;
}

// Few instructions ever have another level than Shared, but each one that is translated is asked for: a bit for
// each hash of an address says whether to look in the table.
constexpr u32 kRaisedBits = 1 << 16;
u64 raised[kRaisedBits / 64];
u32 raised_bit(Address address) { return static_cast<u32>(address * 0x9E3779B97F4A7C15u >> 48); }

void set_level(TripInstruction& instruction, Level level) {
    instruction.level = static_cast<u32>(level) & 3;
    const u32 bit = raised_bit(instruction.address);
    raised[bit / 64] |= u64{1} << bit % 64;
}

Verdict track(TripInstruction& instruction) {
    set_level(instruction, Level::Track);
    History* history = histories->find(instruction.address);
    if (history == nullptr || !history->was_demoted) return kDiscardInstruction;
    if (VG_(read_millisecond_timer)() - history->demoted_at >= kWorthwhile)
        history->doublings = 0;
    else if (history->doublings < kMostDoublings)
        ++history->doublings;
    return kDiscardInstruction;
}

Verdict tripped_at_access(TripInstruction& instruction) {
    ++counts.access_trips;
    if (instruction.level >= static_cast<u32>(Level::Exact)) return track(instruction);
    // Not Level::Single: of 100 instructions that trip while they share a check, 97 trip again there.
    set_level(instruction, Level::Exact);
    return kDiscardInstruction;
}

Verdict tripped_at_entry(TripInstruction& instruction, u8* state) {
    RegisterMask& mask = mask_of(state);
    if (mask & kFlush) {
        mask &= ~kFlush;
        ++counts.flushes;
        discard_unchecked();
        return kDiscardInstruction;
    }
    ++counts.entry_trips;
    const EntryUse& use = (*entries)[instruction.entry - 1];
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
    return track(instruction);
}

Verdict demoted(TripInstruction& instruction) {
    ++counts.demotions;
    // Not Level::Shared: an instruction that tripped once may be close to memory that others must not touch.
    if (instruction.level == static_cast<u32>(Level::Track)) set_level(instruction, Level::Single);
    History& history = (*histories)[instruction.address];
    history.demoted_at = VG_(read_millisecond_timer)();
    history.was_demoted = true;
    return kDiscardInstruction;
}

}  // namespace

// Runs in generated code. `state` is the running thread's guest state, `site` counts from the region's start.
extern "C" [[gnu::used]] ULong memspy_tripped(ULong site, u8* state) {
    TripInstruction& instruction = (*instructions)[static_cast<u32>(site / kSitesEach)];
    switch (static_cast<SiteKind>(site % kSitesEach)) {
        case SiteKind::Access:
            trip_in_segment(state, instruction.address);
            keep_tripped_record(state, instruction.address);
            if (tracking_hooks().prepare(checked_address(state))) return kContinue;
            return tripped_at_access(instruction);
        case SiteKind::Entry: return tripped_at_entry(instruction, state);
        case SiteKind::Demotion: return demoted(instruction);
        case SiteKind::Log: log_full(state); return kContinue;
        case SiteKind::Exact:
            trip_in_segment(state, instruction.address);
            keep_tripped_record(state, instruction.address);
            ++counts.access_trips;
            return track(instruction);
        case SiteKind::Stack:
            ++counts.stack_trips;
            if (enter_stack_window(state)) return kContinue;
            return track(instruction);
    }
    return kContinue;
}
MEMSPY_STATE_HELPER(memspy_tripped, 1);

void initialise_sites() {
    // Memory of the client arena is readable, writable and executable client memory, which the core requires
    // of code.
    region = reinterpret_cast<Address>(VG_(cli_malloc)(VKI_PAGE_SIZE, kRegionBytes));
    CHECK_NE(region, 0u);
    vg::decode_instead(region, kRegionBytes, reinterpret_cast<const u8*>(kSiteCode));
    vg::chase_only_if(may_chase);
    initialise_unchecked();
}

Level level_of(Address instruction) {
    const u32 bit = raised_bit(instruction);
    if ((raised[bit / 64] >> bit % 64 & 1) == 0) return Level::Shared;
    const u32 number = known_number_of(instruction);
    return number == rt::NumberTable::kNone ? Level::Shared
                                            : static_cast<Level>((*instructions)[number].level);
}

void raise_level(Address address, Level level) {
    TripInstruction& instruction = (*instructions)[number_of(address)];
    if (instruction.level < static_cast<u32>(level)) set_level(instruction, level);
}

Address access_site(Address instruction) { return address_of(number_of(instruction), SiteKind::Access); }

Address entry_site(Address first_instruction, const EntryUse& use) {
    u32 number = number_of(first_instruction);
    (*instructions)[number].entry = (number_of(use) + 1) & 0x1fffff;  // a newer translation may be longer
    return address_of(number, SiteKind::Entry);
}

Address log_site(Address first_instruction) {
    return address_of(number_of(first_instruction), SiteKind::Log);
}
void set_log_full_handler(void (*handler)(u8* state)) { log_full = handler; }

Address exact_site(Address instruction) { return address_of(number_of(instruction), SiteKind::Exact); }

Address stack_site(Address first_instruction) {
    return address_of(number_of(first_instruction), SiteKind::Stack);
}

Address demotion_site(Address instruction) { return address_of(number_of(instruction), SiteKind::Demotion); }

Quiet* quiet_countdown(Address instruction) {
    History& history = (*histories)[instruction];
    if (history.quiet == nullptr)
        history.quiet = static_cast<Quiet*>(rt::allocate(sizeof(Quiet), "memspy.quiet_countdown"));
    history.quiet->left = history.quiet->reload = kQuietExecutions << history.doublings;
    return history.quiet;
}

bool sites_left() {
    constexpr u32 kMostInSuperblock = 1024;
    return instructions->size() + kMostInSuperblock < kMaxInstructions && entries->size() + 1 < kMaxBlocks;
}

bool is_site(Address a) { return a - region < kRegionBytes; }

// Emits
//   verdict = memspy_tripped(state, site)
//   if (verdict == kContinue) goto instruction
//   CMSTART, CMLEN = the instruction's first byte
//   goto {InvalICache} instruction
IRSB* emit_site(Address a) {
    const u64 site = (a - region) / sizeof(SiteCode);
    const Address instruction = (*instructions)[static_cast<u32>(site / kSitesEach)].address;
    IRSB* block = emptyIRSB();
    Emitter emit(block);

    IRTemp verdict_temp = emit.new_temp(Ity_I64);
    IRDirty* call = unsafeIRDirty_1_N(verdict_temp, 0, "memspy_tripped",
                                      VG_(fnptr_to_fnentry)(MEMSPY_STATE_ENTRY(memspy_tripped)),
                                      arguments_and_state(Emitter::u64c(site)));
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

void request_flush() {
    ThreadId thread = VG_(get_running_tid)();
    if (thread == VG_INVALID_THREADID) return;  // no thread has run yet
    const PtrdiffT home = mask_offset() - guest_layout().state_bytes;
    RegisterMask mask = 0;
    VG_(get_shadow_regs_area)(thread, reinterpret_cast<UChar*>(&mask), 1, home, sizeof(mask));
    mask |= kFlush;
    VG_(set_shadow_regs_area)(thread, 1, home, sizeof(mask), reinterpret_cast<const UChar*>(&mask));
}

const TripCounts& trip_counts() {
    counts.instructions = instructions->size();
    return counts;
}

}  // namespace memspy::instrument
