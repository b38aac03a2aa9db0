// SPDX-License-Identifier: GPL-2.0-or-later
#include "sharing/suspects.h"

#include <bit>

namespace memspy::sharing {
namespace {

// An object takes the place of a suspect with half its events, so places change hands only a few times.
constexpr u64 kMoreBy = 2;
// A suspect is one with those that explain its events, if together they explain this share of them, and each
// this one: as the report puts objects into groups. Otherwise a small one that meets a large one here and
// there would take part in what that costs.
constexpr u64 kShare = 4, kShareOfEach = 100, kFirstLook = 64;

}  // namespace

void Suspects::rename(u32 from, u32 to) {
    objects_.for_each([from, to](u64, Blamed& record) {
        if (record.number == from) record.number = to;
    });
}

u32 Suspects::place_for(replay::WhatIf& what_if, ObjectId object, Blamed& record) {
    u32 least = 0;
    for (u32 i = 0; i < kMost; ++i)
        if (const u64 events = suspects_[i].used ? suspects_[i].events : 0;
            events < (suspects_[least].used ? suspects_[least].events : 0))
            least = i;
    if (suspects_[least].used) {
        if (record.events < kMoreBy * suspects_[least].events) return 0;
        rename(least + 1, 0);
        what_if.renew(least);
        for (Suspect& each : suspects_) each.turns[least] = 0;
    }
    suspects_[least] = Suspect{.used = true, .events = 0, .turns = {}};
    objects_[static_cast<u32>(object)].number = least + 1;
    return least + 1;
}

void Suspects::take_turn(replay::WhatIf& what_if, u32 suspect, u32 before, u32 number) {
    Suspect& one = suspects_[suspect];
    const u64 turns = one.turns[before] += number;
    // Now and then: where the number gets a bit longer.
    if (turns < kFirstLook || std::bit_width(turns) == std::bit_width(turns - number)) return;
    u64 explained = 0;
    for (const u64 each : one.turns) explained += each;
    if (explained * kShare < one.events || turns * kShareOfEach < one.events) return;
    const u32 into = suspect < before ? suspect : before, from = suspect < before ? before : suspect;
    what_if.join(into, from);
    rename(from + 1, into + 1);
    suspects_[into].events += suspects_[from].events;
    for (u32 i = 0; i < kMost; ++i) {
        suspects_[into].turns[i] += suspects_[from].turns[i];
        suspects_[i].turns[into] += suspects_[i].turns[from];
        suspects_[i].turns[from] = 0;
    }
    suspects_[into].turns[into] = 0;
    suspects_[from] = Suspect{};
}

u32 Suspects::blame(replay::WhatIf& what_if, ObjectId object, u32 number, u8& blamed) {
    if (what_if.price() == 0 || object == ObjectId::None) return replay::WhatIf::kNoSuspect;
    Blamed& record = objects_[static_cast<u32>(object)];
    record.events += number;
    u32 suspect = record.number;
    if (suspect == 0) suspect = place_for(what_if, object, record);
    if (suspect == 0) return replay::WhatIf::kNoSuspect;
    suspects_[suspect - 1].events += number;
    if (blamed != 0 && blamed != suspect && suspects_[blamed - 1u].used)
        take_turn(what_if, suspect - 1, blamed - 1u, number);
    suspect = objects_[static_cast<u32>(object)].number;
    blamed = static_cast<u8>(suspect);
    return suspect - 1;
}

u32 Suspects::suspect_of(ObjectId object) {
    const Blamed* const record = objects_.find(static_cast<u32>(object));
    return record == nullptr || record->number == 0 ? replay::WhatIf::kNoSuspect : record->number - 1;
}

void Suspects::clear() {
    objects_.clear();
    for (Suspect& each : suspects_) each = Suspect{};
}

}  // namespace memspy::sharing
