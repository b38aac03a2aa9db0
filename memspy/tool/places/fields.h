// SPDX-License-Identifier: GPL-2.0-or-later
//
// The fields of static variables and variables on stacks, by debug information. `code` is an instruction that
// uses the object, or 0; its compilation unit is searched first.
#pragma once

#include "dwarf/statics.h"
#include "dwarf/variables.h"
#include "places/object.h"
#include "rt/text.h"

namespace memspy::places {

// The part of a static variable that has these bytes; false if the object is none, or it is not known.
bool find_part(const Object& owner, Address code, u64 offset, u64 bytes, dwarf::StaticPart* part);
// Appends the variable on a stack that has these bytes, with its member: "k", "slots[2].count".
bool find_on_stack(rt::Text& text, const Object& owner, u64 offset, u64 bytes,
                   dwarf::DeclaredVariable* declared);

// Appends "stats[2].hits, stats[2].misses and stats[3].hits" for [begin, end): add_one(path, at) appends the name of
// the field at an offset and returns where it ends, or anything up to `at` if it is not known. Returns false if one
// is not, or if there are too many.
template <typename F>
bool add_list_of_fields(rt::Text& text, u64 begin, u64 end, F add_one) {
    constexpr u32 kMostFields = 4;
    rt::Text list;
    for (u64 at = begin, listed = 0; at < end; ++listed) {
        rt::Text path;
        const u64 next = listed == kMostFields ? at : add_one(path, at);
        if (next <= at) return false;
        list.add(listed == 0 ? "" : next >= end ? " and " : ", ").add(path.c_str());
        at = next;
    }
    text.add(list.c_str());
    return true;
}

// Appends what lies in `bytes` bytes at `offset`: "stats[2].hits and stats[2].misses", "k of main". `offset`
// counts from the start of the symbol or frame. Returns false if it is not known, or too much.
bool add_fields(rt::Text& text, ObjectId id, Address code, u64 offset, u64 bytes);

// Appends a variable that an OpenMP construct shares, as add_captured() of dwarf/captured.h: `body` is the
// construct's function. "k of main".
bool add_captured(rt::Text& text, Address body, u64 offset, u64 bytes);

// The dimensions of a static array; count 0: it is none, or they are not known.
dwarf::DeclaredDimensions shape_of(ObjectId id);

// What is known of bytes of a static variable.
bool find_static_part(ObjectId id, u64 offset, u64 bytes, dwarf::StaticPart* part);

}  // namespace memspy::places
