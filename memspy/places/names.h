// SPDX-License-Identifier: GPL-2.0-or-later
//
// What objects are called, and an order of them. No Valgrind here.
#pragma once

#include "places/objects.h"
#include "rt/text.h"

namespace memspy::places {

// The order of objects that have as many events: those of modules by where they lie, so that it does not
// depend on who was seen first.
bool object_before(ObjectId a, ObjectId b);

// The object's name as it stands in a sentence: `counter`, "a heap block", "the stack of thread 2".
void add_object_name(rt::Text& text, const Object& object);

}  // namespace memspy::places
