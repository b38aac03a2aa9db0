// SPDX-License-Identifier: GPL-2.0-or-later
//
// What a line of the program's own code does in all: the sums of the rows of its instructions, and of the
// library functions that it calls.
#pragma once

#include <map>
#include <set>
#include <string>
#include <tuple>

#include "report/sections/waste/records.h"
#include "report/sections/waste/waste_reader.h"

namespace memspy::report::waste {

// What a library function called by the line is for.
enum class CalleeKind : u8 { None, Clear, Copy, Format, Length, Compare, Start, Other };
struct Callee {
    CalleeKind kind{};
    std::string name;
    auto operator<=>(const Callee&) const = default;
};
// Of the functions in the stack below the program's own: the outermost one with a known purpose.
Callee callee_of(const WasteReader& reader, StackId stack);

struct LineKey {
    u32 kind = 0;  // WasteKindIndex
    std::string function, line;
    Callee callee;
    std::string object;  // of dead stores: all of them
    auto operator<=>(const LineKey&) const = default;
};

struct LineSum {
    u64 bytes = 0, all = 0;  // wasted; and of all accesses of the places
    u64 looked = 0, in_place = 0, near = 0;
    bool decides = false, holds_known = true;
    std::map<std::string, u64> objects;                                        // by label: bytes
    std::map<ObjectId, u64> held;                                              // bytes
    std::map<std::tuple<std::string, std::string, std::string>, u64> killers;  // end, function, line
    std::set<StackId> places;

    u64 held_in_all() const;
    const std::string& object() const;  // with most bytes
};

using LineSums = std::map<LineKey, LineSum>;
// Without variables at a fixed place of the own frame, which compilers keep in registers, and without the
// frames of libraries.
LineSums sums_of_lines(const WasteReader& reader, SourceNames* names);
// Whether a compiler has had the chance to keep values in registers: most of what the program's own code loads
// again does not lie at fixed places of its frames, or that is little.
bool is_optimised(const WasteReader& reader);

}  // namespace memspy::report::waste
