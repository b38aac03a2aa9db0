// SPDX-License-Identifier: GPL-2.0-or-later
//
// What a line of the program's own code does in all: the sums of the rows of its instructions, and of the
// library functions that it calls.
#pragma once

#include <map>
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
Callee callee_of(const Catalog& catalog, StackId stack);

struct LineKey {
    u32 kind = 0;  // WasteKindIndex
    std::string function, line;
    Callee callee;
    std::string object;     // of dead stores: all of them
    bool variable = false;  // of dead stores: they set a variable of the own frame that no register holds
    auto operator<=>(const LineKey&) const = default;
};

struct KillerSum {
    u64 bytes = 0;
    StackId stack{};  // one of them
};

struct LineSum {
    u64 bytes = 0, all = 0;  // wasted; and of all accesses of the places
    u64 looked = 0, in_place = 0, near = 0;
    bool decides = false, holds_known = true;
    // What a compiler or the linker has put into the file: constants, addresses of functions.
    bool unnamed = true;
    std::map<std::string, u64> objects;                                              // by label: bytes
    std::map<ObjectId, u64> held;                                                    // bytes
    std::map<std::tuple<std::string, std::string, std::string>, KillerSum> killers;  // end, function, line
    std::map<StackId, u64> places;                                                   // bytes

    u64 held_in_all() const;
    // Those with most bytes; the second one several in words.
    const std::string& object() const;
    std::string main_objects() const;
    StackId place() const;
};

using LineSums = std::map<LineKey, LineSum>;
// Without what lies at a fixed place of the own frame, which compilers keep in registers, but large variables; and
// without the frames of libraries.
LineSums sums_of_lines(const Catalog& catalog, const WasteRecords& records, SourceNames* names);
// Whether a compiler has had the chance to keep values in registers: most of what the program's own code loads
// again does not lie at fixed places of its frames, or that is little.
bool is_optimised(const Catalog& catalog, const WasteRecords& records);

}  // namespace memspy::report::waste
