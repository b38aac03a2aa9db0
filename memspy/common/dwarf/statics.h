// SPDX-License-Identifier: GPL-2.0-or-later
//
// Static variables of a module, from its debug information: the smallest part that holds some bytes, and
// where the variable is declared. Variables of functions, classes and Fortran's COMMON blocks are among them.
#pragma once

#include "dwarf/sections.h"
#include "dwarf/types.h"
#include "rt/text.h"

namespace memspy::dwarf {

struct StaticPart {
    rt::Text path;  // such as stats[2].hits
    rt::Text file;  // without its folder; empty if not known
    u64 line = 0;
    u64 begin = 0, end = 0;    // link-time addresses; end = begin: not known
    bool padding = false;      // the bytes are in no member of `path`
    bool atomic = false;       // declared _Atomic, volatile or std::atomic
    ElementPart element;       // set its `bytes` to look for an array
    DeclaredDimensions shape;  // of the variable
    ElementPart target;        // what a pointer points to, if the part is one
};

// `pc`: code that uses the variable. Its unit is searched, then all of a file that is not large. Link-time
// addresses.
bool find_static(const Sections& sections, u64 pc, u64 address, u64 bytes, StaticPart* part);
// The same in one element of a type: `path` begins with ".", or "[" in an array, or is empty; `begin` and `end` are
// offsets in the element. False if the type is not known.
bool find_in_type(const Sections& sections, const ElementPart& type, u64 offset, u64 bytes, StaticPart* part);

}  // namespace memspy::dwarf
