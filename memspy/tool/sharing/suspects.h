// SPDX-License-Identifier: GPL-2.0-or-later
//
// Which objects are looked at for what their events cost (replay/what_if.h). There is room for some
// *suspects*, the objects with most of them; an object that has a good part of its events right after
// those of others on the same lines is one with them. No Valgrind here.
#pragma once

#include "replay/what_if.h"
#include "sharing/tally.h"

namespace memspy::sharing {

// All zeros is a valid empty object.
class Suspects {
public:
    static constexpr u32 kMost = replay::WhatIf::kSuspects;

    // `number` events on a line of the object. Returns its suspect, or kNoSuspect. `blamed`
    // belongs to the line; at first it is 0.
    u32 blame(replay::WhatIf& what_if, ObjectId object, u32 number, u8& blamed);
    u32 suspect_of(ObjectId object);
    void clear();

private:
    struct Blamed {
        u64 events;
        u32 number;  // of its suspect + 1, or 0
    };
    struct Suspect {
        bool used;
        u64 events;
        u64 turns[kMost];  // events that followed one of the other on the same line
    };
    u32 place_for(replay::WhatIf& what_if, ObjectId object, Blamed& record);
    void take_turn(replay::WhatIf& what_if, u32 suspect, u32 before, u32 number);
    void rename(u32 from, u32 to);  // numbers + 1

    rt::HashMap<Blamed> objects_;
    Suspect suspects_[kMost] = {};
};

}  // namespace memspy::sharing
