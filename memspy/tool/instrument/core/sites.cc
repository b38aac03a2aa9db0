// SPDX-License-Identifier: GPL-2.0-or-later
#include "instrument/core/sites.h"

#include "rt/global.h"
#include "rt/hash_map.h"
#include "rt/lazy_array.h"
#include "rt/number_table.h"
#include "shadow/shadow_map.h"
#include "vg/client_arena.h"
#include "vg/translator.h"

namespace memspy::instrument {
namespace {

// Space for four million instructions that can trip: 40 MB of executed code. Each has seven adjacent sites,
// one of each kind. The region is only reserved: nothing is ever written to it, because the core decodes
// kSiteCode in place of what is there (vg::decode_instead).
constexpr u32 kMaxInstructions = u32{4} << 20;
constexpr u32 kSitesEach = 7;
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
// Each demotion that was too early doubles the wait for the next one. It was not if the fast translation
// lasted for this many milliseconds, ten times what the translations take.
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

u64 hash_of(Address address) { return address * 0x9E3779B97F4A7C15u; }

Address region = 0;
rt::Global<rt::LazyArray<TripInstruction, kMaxInstructions>> instructions;
rt::Global<rt::NumberTable> instruction_numbers;  // by address
// Many superblocks use registers alike: each use is kept once.
rt::Global<rt::LazyArray<EntryUse, kMaxBlocks>> entries;
rt::Global<rt::NumberTable> entry_numbers;
rt::Global<rt::HashMap<History>> histories;  // by address

Address address_of(u32 number, SiteKind kind) {
    return region + (usize{number} * kSitesEach + static_cast<u32>(kind)) * sizeof(SiteCode);
}

// The instruction's number, or rt::NumberTable::kNone.
u32 known_number_of(Address instruction) {
    return instruction_numbers->find(
        hash_of(instruction), [&](u32 number) { return (*instructions)[number].address == instruction; });
}

u32 number_of(Address instruction) {
    // A superblock has several sites at its first instruction.
    static u32 last = rt::NumberTable::kNone;
    if (last != rt::NumberTable::kNone && (*instructions)[last].address == instruction) return last;
    last = known_number_of(instruction);
    if (last != rt::NumberTable::kNone) return last;
    DCHECK_EQ(instruction >> shadow::kAddressBits, 0u);
    const u32 number = instructions->push_back(
        TripInstruction{.address = instruction & kClientAddresses, .entry = 0, .level = 0});
    instruction_numbers->add(hash_of(instruction), number,
                             [](u32 other) { return hash_of((*instructions)[other].address); });
    return last = number;
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

// Few instructions ever have another level than Shared, but each one that is translated is asked for: a bit
// for each hash of an address says whether to look in the table.
constexpr u32 kRaisedBits = 1 << 16;
u64 raised[kRaisedBits / 64];
u32 raised_bit(Address address) { return static_cast<u32>(address * 0x9E3779B97F4A7C15u >> 48); }

void set_level(TripInstruction& instruction, Level level) {
    instruction.level = static_cast<u32>(level) & 3;
    const u32 bit = raised_bit(instruction.address);
    raised[bit / 64] |= u64{1} << bit % 64;
}

}  // namespace

void reserve_sites() {
    region = vg::map_client_code(kRegionBytes);
    CHECK_NE(region, 0u);
    vg::decode_instead(region, kRegionBytes, reinterpret_cast<const u8*>(kSiteCode), [](Address a) {
        const TripSite site(TripSite::place_of(a));
        return site.kind() == SiteKind::Twin ? site.instruction() : Address{0};
    });
    vg::chase_only_if(may_chase);
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

Address full_site(Address first_instruction) {
    return address_of(number_of(first_instruction), SiteKind::Full);
}

Address twin_site(Address first_instruction) {
    return address_of(number_of(first_instruction), SiteKind::Twin);
}

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

bool may_chase(Address first) { return !sites_left() || level_of(first) == Level::Track; }

bool TripSite::is_one(Address a) { return a - region < kRegionBytes; }

u64 TripSite::place_of(Address a) { return (a - region) / sizeof(SiteCode); }

TripSite::TripSite(u64 place)
    : number_(static_cast<u32>(place / kSitesEach)), kind_(static_cast<SiteKind>(place % kSitesEach)) {}

Address TripSite::instruction() const { return (*instructions)[number_].address; }

Level TripSite::level() const { return static_cast<Level>((*instructions)[number_].level); }

const EntryUse& TripSite::entry_use() const { return (*entries)[(*instructions)[number_].entry - 1]; }

void TripSite::raise(Level level) const { set_level((*instructions)[number_], level); }

void TripSite::track() const {
    raise(Level::Track);
    History* history = histories->find(instruction());
    if (history == nullptr || !history->was_demoted) return;
    if (VG_(read_millisecond_timer)() - history->demoted_at >= kWorthwhile)
        history->doublings = 0;
    else if (history->doublings < kMostDoublings)
        ++history->doublings;
}

void TripSite::demote() const {
    // Not Level::Shared: an instruction that tripped once may be close to memory that others must not touch.
    if (level() == Level::Track) raise(Level::Single);
    History& history = (*histories)[instruction()];
    history.demoted_at = VG_(read_millisecond_timer)();
    history.was_demoted = true;
}

u64 site_instructions() { return instructions->size(); }

}  // namespace memspy::instrument
