// SPDX-License-Identifier: GPL-2.0-or-later
//
// Advice on another layout, for threads that use different bytes of a line.
#pragma once

#include "remedies/advice_case.h"

namespace memspy::remedies {

// What is to be edited: the variable at an offset of an object, or everything in the group.
struct Change {
    ObjectId object{};
    u64 offset = 0;
    Change() = default;
    explicit Change(const UsedPart& part) : object(part.object), offset(part.begin - part.start) {}
};

// Of the layouts that come into question the first that leaves about as few events as any (changed_layout.h).
// Returns false, and adds nothing, if no layout is known to help.
bool advise_layout(AdviceCase& c, Change* change);

// What one thread uses alone lies in the worst line beside what several use, such as a lock and its data.
bool advise_moving_own(AdviceCase& c, Change* change);

// Words of the worst line that different threads write, such as the two ends of a queue, though others read them.
bool advise_words(AdviceCase& c, Change* change);

// Nobody stores to the group's only object: what another group has in its lines is in its way.
ObjectId hindered_by(const AdviceCase& c);

}  // namespace memspy::remedies
