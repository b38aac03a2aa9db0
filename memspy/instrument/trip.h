// SPDX-License-Identifier: GPL-2.0-or-later
//
// Trip sites: how a fast translation hands over to a tracking one.
//
// A fast translation that meets a case beyond it leaves by a side exit to a *site*: an address in a
// region that is client code to the core and that the client never sees. The translation of a site, made by
// emit_site(), calls a helper which decides on the level of the instruction that tripped, asks the
// core to throw away the translations that hold it, and goes on at that instruction.
//
// What an instruction has become is its level. Levels rise by trips and fall again by demotion, when an
// instruction was tracked for long and nothing was seen that needed it.
#pragma once

#include "instrument/emitter.h"
#include "instrument/registers.h"

namespace memspy::instrument {

enum class Level : u8 {
    Shared = 0,  // fast, and accesses near each other share a check
    Single = 1,  // fast, each access with the cheapest check of its own
    Exact = 2,   // fast, with a check that is exact for every alignment
    Track = 3    // its superblock is translated in the tracking way
};

void initialise_sites();

// Whether another superblock's instructions can have sites. When not, it is translated in the tracking way,
// for good: that needs none.
bool sites_left();

Level level_of(Address instruction);
void raise_level(Address instruction, Level level);

// Sites for a check inside `instruction`, and for the entry of a superblock. A site is shared by all checks
// of its instruction.
Address access_site(Address instruction);

// For a fully exact check: an instruction that trips there is tracked at once.
Address exact_site(Address instruction);
// For the entry of a superblock whose stack pointer is outside the thread's window (stack_window.h).
Address stack_site(Address first_instruction);

// A register that a superblock writes in whole before anything else can look at it.
struct Overwrite {
    u16 offset, bytes;
};
inline constexpr unsigned kMaxOverwrites = 8;
struct EntryUse {
    RegisterMask touched = 0;                    // groups read or written
    Overwrite overwritten[kMaxOverwrites] = {};  // registers written before they are read, the first few
    u32 overwrites = 0;
};
Address entry_site(Address first_instruction, const EntryUse& use);
// For a superblock that finds its chunk of the access log full. The handler gets the running thread's guest
// state.
Address log_site(Address first_instruction);
void set_log_full_handler(void (*handler)(u8* state));

bool is_site(Address a);
// The translation of a site.
IRSB* emit_site(Address site);

// Makes all translations again when the running thread next enters a fast one.
void request_flush();

// The countdown to an instruction's demotion, kept by the tracking translation that starts with it: `left`
// quiet executions remain; whatever needs tracking sets it back to `reload`, which doubles with each demotion
// of the same instruction.
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
