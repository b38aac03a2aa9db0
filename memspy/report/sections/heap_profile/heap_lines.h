// SPDX-License-Identifier: GPL-2.0-or-later
//
// The heap profile by the line of the program's own code that allocates.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "report/sections/heap_profile/heap_reader.h"

namespace memspy::report {
class SourceNames;
}

namespace memspy::report::heap_profile {

struct HeapLine {
    std::string function, line;
    bool may_change = false;  // the code is the program's own
    Context sum;              // of all counts; sizes are the least and the greatest; the stack is one of them
    std::vector<u64> history;  // live bytes at each hundredth of the run, of contexts that have them
};

// Most bytes at the peak first.
std::vector<HeapLine> heap_lines(const Catalog& catalog, const HeapRecords& records);
// For whom the line allocates: the nearest callers of which none has more than half of the figure, or else the least
// part of it. Empty if there is one only.
std::vector<HeapLine> callers_of(const HeapLine& line, u64 (*figure)(const Context&), const Catalog& catalog,
                                 const HeapRecords& records);

// The blocks of a line whose type has members: what was done to each member.
struct FieldUse {
    std::string path;  // from the element on; all of an array are one: "name[]"
    u64 place = 0, size = 0;
    u64 loaded = 0, stored = 0;  // bytes, each as often as it was
};
struct StructUse {
    std::string function, line, type;
    StackId stack{};  // one of those that allocate them
    bool may_change = false;
    u64 size = 0;                // of an element
    u64 max_bytes = 0;           // of all blocks that lived at once
    u64 loaded = 0, stored = 0;  // of all fields
    std::vector<FieldUse> fields;
};

// Most bytes loaded and stored first. `names` may be null: no types are known.
std::vector<StructUse> struct_uses(const Catalog& catalog, const HeapRecords& records, SourceNames* names);

}  // namespace memspy::report::heap_profile
