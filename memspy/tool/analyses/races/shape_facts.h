// SPDX-License-Identifier: GPL-2.0-or-later
//
// What the shape of a record tells of all its records, looked up once.
#pragma once

#include "analyses/races/access_history.h"
#include "analyses/races/roles.h"
#include "log/records.h"

namespace memspy::races {

struct UseFacts {
    CodeRole role;
    bool has_place;
    bool publishes;     // the source says that it is an atomic store
    bool only_sums;     // what it loads goes into a sum that is stored there again, and nowhere else
    PlaceNumber place;  // with the call path that it was made with last
    threads::CallPath path;
};

struct ShapeFacts {
    bool is_known;
    bool is_plain;  // all accesses are plain ones to data, and of code that may be the program's
    bool stores;
    bool may_poll;  // it may be a look of a loop that polls, if it stores at most to the stack
    UseFacts* uses;
};

// By number of shape. All zeros is a valid empty object.
class ShapeFactTable {
public:
    ShapeFacts& of(u32 number, const log::Shape& shape) {
        const u32 at = number >> log::kLengthBits;
        if (facts_.size() <= at) [[unlikely]]
            facts_.resize(at + at / 4 + 64);
        ShapeFacts& facts = facts_[at];
        if (!facts.is_known) [[unlikely]]
            facts = find(shape);
        return facts;
    }

private:
    static ShapeFacts find(const log::Shape& shape);
    rt::Vector<ShapeFacts> facts_;
};

}  // namespace memspy::races
