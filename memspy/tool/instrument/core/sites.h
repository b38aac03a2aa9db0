// SPDX-License-Identifier: GPL-2.0-or-later
//
// Levels of instructions, and trip sites: how a fast translation hands over to a tracking one.
//
// A fast translation leaves by a side exit to a *site* if it meets a case that it cannot handle. A site is an
// address in a region that is client code to the core but that the client never sees. trip.h makes the
// translation of a site and decides what happens then.
//
// Trips raise an instruction's level. Demotion lowers it, when the instruction was tracked for long and met
// nothing that needed tracking.
#pragma once

#include "instrument/core/registers.h"

namespace memspy::instrument {

enum class Level : u8 {
    Shared = 0,  // fast; accesses near each other share a check
    Single = 1,  // fast, each access with the cheapest check of its own
    Exact = 2,   // fast, with a check that is exact for every alignment
    Track = 3    // its superblock is translated in the tracking way
};

void reserve_sites();  // call once, before any code runs

// Whether there are sites left for the instructions of another superblock. If not, it is tracked for ever,
// because tracking translations need no sites.
bool sites_left();

Level level_of(Address instruction);
void raise_level(Address instruction, Level level);
// Whether the superblock at `first` may go on behind jumps and calls. Tracking translations need that to
// recognise `a && b` with the operands exchanged. Fast ones are made sooner without: code that is reached
// from several places is translated once.
bool may_chase(Address first);

// The site for a check inside `instruction`. All checks of the instruction share it.
Address access_site(Address instruction);

// The site for a fully exact check. An instruction that trips there becomes tracked at once.
Address exact_site(Address instruction);
// The site for the entry of a superblock whose stack pointer is outside the thread's window (stack_window.h).
Address stack_site(Address first_instruction);

// A register that a superblock overwrites completely before anything else can look at it.
struct Overwrite {
    u16 offset, bytes;
    bool operator==(const Overwrite&) const = default;
};
inline constexpr unsigned kMaxOverwrites = 8;
struct EntryUse {
    RegisterMask touched = 0;                    // groups read or written
    Overwrite overwritten[kMaxOverwrites] = {};  // the first registers written before they are read
    u32 overwrites = 0;
    bool operator==(const EntryUse&) const = default;
};
Address entry_site(Address first_instruction, const EntryUse& use);
// The site for a superblock that finds no room for what an observer writes (ObserverKind::full).
Address full_site(Address first_instruction);
// Where the superblock's twin begins (twins.h).
Address twin_site(Address first_instruction);

enum class SiteKind : u8 { Access, Entry, Demotion, Full, Exact, Stack, Twin };
// A site that was reached, by its place in the region.
class TripSite {
public:
    static bool is_one(Address a);
    explicit TripSite(u64 place);
    static u64 place_of(Address a);

    SiteKind kind() const { return kind_; }
    Address instruction() const;
    Level level() const;
    // What the superblock uses that was translated last with an entry site here.
    const EntryUse& entry_use() const;
    void raise(Level level) const;
    // From now on the instruction is tracked. If it was demoted too early, it will be for longer.
    void track() const;
    void demote() const;

private:
    u32 number_;  // of the instruction
    SiteKind kind_;
};

// The countdown to an instruction's demotion, in the tracking translation that starts with it. `left` quiet
// executions remain. An execution that needs tracking sets it back to `reload`, which doubles with each
// demotion of the same instruction that was too early.
struct Quiet {
    u32 left, reload;
};
Quiet* quiet_countdown(Address instruction);
Address demotion_site(Address instruction);

u64 site_instructions();  // how many have sites

}  // namespace memspy::instrument
