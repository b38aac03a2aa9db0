// SPDX-License-Identifier: GPL-2.0-or-later
//
// What the parts of the detector share.
#pragma once

#include <bit>

#include "analyses/races/detector_host.h"
#include "analyses/races/line_histories.h"
#include "analyses/races/lock_sections.h"
#include "analyses/races/place_numbers.h"
#include "analyses/races/racing_thread.h"
#include "analyses/races/shape_facts.h"
#include "analyses/races/tokens.h"
#include "lines/observed_order.h"
#include "rt/global.h"

namespace memspy::races {

// The threads that meet at a barrier this time. Who comes when the first of them has left again meets others.
struct Rendezvous {
    Address word;    // stands for it; 0: nobody has come yet
    Address before;  // for the meeting before, which all have left when the first one leaves this one
};

// Nobody has waited for its end yet.
struct EndedThread {
    Thread thread;
    Address cleared;
};

// The threads that a strand has belonged to, each from a part of its run on.
struct StrandOwner {
    u32 part;
    u32 serial;
};

// How the last parts of a strand's run ended, by their numbers.
struct PartEnds {
    static constexpr u32 kKept = 64;
    PartEnd last[kKept];
};

struct DetectorState {
    DetectorHost host;
    lines::ObservedOrder order;
    lines::LockSets lock_sets;
    LockSections sections;
    rt::Vector<RacingThread*> followers;  // by slot
    ShapeFactTable shapes;
    PlaceNumbers places;
    rt::HashMap<Rendezvous> meetings;  // by barrier
    u64 meetings_so_far;
    SemaphoreTokens tokens;
    bool locks_have_owners = false;               // who gets a lock stores that in it
    rt::Vector<EndedThread> ended;                // whose slots are held
    rt::Vector<rt::Vector<StrandOwner>*> owners;  // by strand
    rt::Vector<PartEnds*> part_ends;              // by strand
    LineHistories lines;
    u64 now;  // counts records: the time of the order
    TurnNumber turns;
};
extern rt::Global<DetectorState> detector_state;
inline DetectorState& detector() { return *detector_state; }

inline lines::ObservedOrder& observed() { return detector().order; }
inline void release_word(const RacingThread& f, Address word) {
    observed().release(f.strand, word, detector().now);
}
inline void acquire_word(const RacingThread& f, Address word) { observed().acquire(f.strand, word); }

// Stands for what readers of a read-write lock release: they go on after writers, and only writers after them.
// Not a word next to it, which may be another lock.
constexpr Address readers_of(Address lock) { return Address{1} << 59 | lock; }

// For reports: the present part of its run is about to end.
void note_part_end(const RacingThread& f, const char* what, const Place& place);
// What ended the last part of the first strand's run that is before what the second one does now.
PartEnd last_end_before(u32 strand, u32 later);

u32 new_strand();
RacingThread& follower(Thread t);

void begin_turn(RacingThread& f, u32 part);
// The thread's present turn.
inline StrandTurn turn_of(RacingThread& f) {
    const u32 part = observed().part(f.strand);
    if (f.turn == 0 || part != f.turn_part || f.strand != f.turn_strand) begin_turn(f, part);
    return {f.turn, f.turn_part, static_cast<u16>(f.strand), f.held};
}
// The thread that a strand belonged to in that part of its run.
u32 serial_of(u32 strand, u32 part);

constexpr u64 mask_of(u32 first, u32 bytes) { return (~u64{0} >> (kLineBytes - bytes)) << first; }
// The bytes from `first` to `last` that the line has.
constexpr u64 bytes_in(u64 line, Address first, Address last) {
    const Address begin = line * kLineBytes;
    const u32 from = first > begin ? static_cast<u32>(first - begin) : 0;
    const u32 to = last < begin + kLineBytes ? static_cast<u32>(last - begin) : kLineBytes - 1;
    return mask_of(from, to - from + 1);
}
// The words of four bytes that bytes of a line are in.
constexpr u16 words_of(u64 bytes) {
    u64 any = bytes | bytes >> 1;
    any |= any >> 2;  // the lowest bit of each four tells
    u16 words = 0;
    for (u32 i = 0; i < 16; ++i) words = static_cast<u16>(words | ((any >> (i * 4) & 1) << i));
    return words;
}
// The bytes of the words.
constexpr u64 bytes_of(u16 words) {
    u64 bytes = 0;
    for (u32 i = 0; i < 16; ++i)
        if ((words >> i & 1) != 0) bytes |= u64{15} << (i * 4);
    return bytes;
}

inline bool is_near_stack(const RacingThread& f, Address a) {
    constexpr Address kNear = 256 * 1024;
    return f.stack_pointer != 0 && a - (f.stack_pointer - kNear) < 2 * kNear;
}

}  // namespace memspy::races
