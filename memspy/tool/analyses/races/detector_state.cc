// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyses/races/detector_state.h"

#include <new>

namespace memspy::races {

rt::Global<DetectorState> detector_state;

void note_part_end(const RacingThread& f, const char* what, const Place& place) {
    const u32 part = observed().part(f.strand);
    detector().part_ends[f.strand]->last[part % PartEnds::kKept] = {what, place, part};
}

PartEnd last_end_before(u32 strand, u32 later) {
    PartEnd found;
    for (const PartEnd& end : detector().part_ends[strand]->last)
        if (end.part > found.part && observed().is_before(strand, end.part, later)) found = end;
    return found;
}

u32 new_strand() {
    const auto strand = static_cast<u32>(detector().owners.size());
    CHECK_LT(strand, u32{1} << 16);  // KnownAccess
    using StrandOwners = rt::Vector<StrandOwner>;
    detector().owners.push_back(new (rt::allocate(sizeof(StrandOwners), "memspy.races")) StrandOwners);
    detector().part_ends.push_back(new (rt::allocate(sizeof(PartEnds), "memspy.races")) PartEnds);
    return strand;
}

RacingThread& follower(Thread t) {
    while (detector().followers.size() <= t.slot) {
        auto* made = new (rt::allocate(sizeof(RacingThread), "memspy.races")) RacingThread;
        made->own_strand = made->strand = new_strand();
        detector().followers.push_back(made);
    }
    return *detector().followers[t.slot];
}

void begin_turn(RacingThread& f, u32 part) {
    f.turn = ++detector().turns % kSpecialLine;
    if (f.turn == 0) f.turn = ++detector().turns % kSpecialLine;
    f.races_of_turn = f.luck_of_turn = 0;
    f.turn_part = part;
    f.turn_strand = f.strand;
    rt::Vector<StrandOwner>& owners = *detector().owners[f.strand];
    if (owners.empty() || owners.back().serial != f.thread.serial) owners.push_back({part, f.thread.serial});
}

u32 serial_of(u32 strand, u32 part) {
    const rt::Vector<StrandOwner>& owners = *detector().owners[strand];
    for (usize i = owners.size(); i-- > 0;)
        if (owners[i].part <= part) return owners[i].serial;
    return 0;
}

}  // namespace memspy::races
