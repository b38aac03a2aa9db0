// SPDX-License-Identifier: GPL-2.0-or-later
//
// Numbers for places in the code, so that an access that is kept has four bytes for its place.
#pragma once

#include "analyses/races/access_history.h"
#include "places/place.h"
#include "rt/number_table.h"

namespace memspy::races {

using places::Place;

// All zeros is a valid empty object.
class PlaceNumbers {
public:
    PlaceNumber number_of(const Place& place) {
        const u32 known = table_.find(hash_of(place), [&](u32 number) { return places_[number] == place; });
        if (known != rt::NumberTable::kNone) return PlaceNumber{known};
        const auto number = static_cast<u32>(places_.size());
        places_.push_back(place);
        table_.add(hash_of(place), number, [&](u32 of) { return hash_of(places_[of]); });
        return PlaceNumber{number};
    }
    const Place& operator[](PlaceNumber number) const { return places_[static_cast<usize>(number)]; }

private:
    static u64 hash_of(const Place& place) {
        constexpr u64 kOdd = 0x9E3779B97F4A7C15u;
        return (place.instruction ^ u64{static_cast<u32>(place.path)} << 40) * kOdd;
    }

    rt::Vector<Place> places_;
    rt::NumberTable table_;
};

}  // namespace memspy::races
