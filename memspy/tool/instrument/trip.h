// SPDX-License-Identifier: GPL-2.0-or-later
//
// Trip sites: how a fast translation hands over to a tracking one.
//
// A fast translation leaves by a side exit to a *site* if it meets a case that it cannot handle. A site is an
// address in a region that is client code to the core but that the client never sees. The translation of a
// site, made by emit_site(), calls a helper. The helper decides on the new level of the instruction that
// tripped, has the core discard the translations that contain it, and continues at that instruction.
//
// Trips raise an instruction's level. Demotion lowers it, when the instruction was tracked for long and met
// nothing that needed tracking.
#pragma once

#include "instrument/emitter.h"
#include "instrument/registers.h"

namespace memspy::instrument {

enum class Level : u8 {
    Shared = 0,  // fast; accesses near each other share a check
    Single = 1,  // fast, each access with the cheapest check of its own
    Exact = 2,   // fast, with a check that is exact for every alignment
    Track = 3    // its superblock is translated in the tracking way
};

void initialise_sites();

// Whether there are sites left for the instructions of another superblock. If not, it is tracked for ever,
// because tracking translations need no sites.
bool sites_left();

Level level_of(Address instruction);
void raise_level(Address instruction, Level level);

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
// The site for a superblock that finds its chunk of the access log full. The handler gets the running
// thread's guest state.
Address log_site(Address first_instruction);
void set_log_full_handler(void (*handler)(u8* state));

bool is_site(Address a);
// The translation of a site.
IRSB* emit_site(Address site);

// Has translations with unchecked accesses (unchecked.h) made again when the running thread next enters a fast one.
void request_flush();

// The countdown to an instruction's demotion, in the tracking translation that starts with it. `left` quiet
// executions remain. An execution that needs tracking sets it back to `reload`, which doubles with each
// demotion of the same instruction.
struct Quiet {
    u32 left, reload;
};
Quiet* quiet_countdown(Address instruction);
Address demotion_site(Address instruction);

struct TripCounts {
    u64 access_trips, entry_trips, entry_passes, stack_trips, flushes, demotions, instructions;
};
const TripCounts& trip_counts();

}  // namespace memspy::instrument
