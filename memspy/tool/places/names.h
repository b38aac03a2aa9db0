// SPDX-License-Identifier: GPL-2.0-or-later
//
// The names of objects, and an order of objects. No Valgrind here.
#pragma once

#include "places/object.h"
#include "rt/text.h"

namespace memspy::places {

// The order of objects with equally many events: objects of modules by their place in the module, so that it
// does not depend on the order of first accesses.
bool object_before(ObjectId a, ObjectId b);

// An array that has elements, and their type.
struct ElementName {
    rt::Text array, type;
};

// Elements of an array: their size, and the offset of one of them in its object.
struct ArrayElements {
    u64 bytes = 0, first = 0;
};

// The object's name as used in a sentence: `counter`, "a heap block", "sums of main", "the stack of thread
// 2".
void add_object_name(rt::Text& text, const Object& object);
// The function's name as its author knows it (rt/function_name.h).
void add_bare_function(rt::Text& text, const char* name);
// "libc.so.6" of "/lib/x86_64-linux-gnu/libc.so.6".
void add_base_name(rt::Text& text, const char* path);

}  // namespace memspy::places
