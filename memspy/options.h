// SPDX-License-Identifier: GPL-2.0-or-later
//
// The run's options, filled from the command line before the program starts. Those marked Always in
// options.def can change later through vgdb, so they are read where they are used; the others are constant.
// options.def is the only table of them: the members, the parser and the help text are made from it.
#pragma once

#include "rt/base.h"

namespace memspy {

#define MEMSPY_ENUM(type, ...) enum class type : u8 { __VA_ARGS__ };
#include "options.def"

// Sets of leak kinds, one bit each.
enum LeakKindBit : u32 { kReachable = 1, kPossible = 2, kIndirect = 4, kDefinite = 8, kAllLeakKinds = 15 };
// Sets of reachability heuristics, one bit each.
enum HeuristicBit : u32 {
    kStdString = 1,
    kLength64 = 2,
    kNewArray = 4,
    kMultipleInheritance = 8,
    kAllHeuristics = 15
};

// Converts PERCENT[.DECIMALS] to millionths; the text must be well-formed.
constexpr u32 millionths(const char* text) {
    u32 value = 0, unit = 10'000;
    for (; *text >= '0' && *text <= '9'; ++text) value = value * 10 + static_cast<u32>(*text - '0');
    value *= unit;
    if (*text == '.')
        for (++text; *text != '\0'; ++text) value += (unit /= 10) * static_cast<u32>(*text - '0');
    return value;
}

inline constexpr char kDefaultOutFile[] = "memspy.out.%p.xml";

struct Options {
#define MEMSPY_BOOL(when, member, name, value, help) bool member = value;
#define MEMSPY_CHOICE(when, type, member, name, words, value, help) type member = type::value;
#define MEMSPY_SET(when, member, name, tokens, values, value, help) u32 member = value;
#define MEMSPY_NUMBER(when, member, name, value, low, high, help) i64 member = value;
#define MEMSPY_PERCENT(when, member, name, value, help) u32 member = millionths(value);
#define MEMSPY_BYTE(when, member, name, help) i32 member = -1;
#define MEMSPY_HIDDEN(member, name, value, help) bool member = value;
#include "options.def"
    const char* locality_from = "*";
    const char* simulated_machine = "auto";
    const char* out_file = kDefaultOutFile;  // before expansion; null: no profile
};

const Options& options();

// Handles one command-line argument. Returns false if it is neither memspy's nor the malloc replacement's. A
// bad value ends the run with the core's message (while the program runs: only the message).
bool process_option(const char* argument);
// Checks combinations of options. Call after the command line has been read.
void check_options();
// The options while they are being checked, and whether an option was on the command line.
Options& options_to_check();
bool was_given(const char* name);
void print_usage();
void print_debug_usage();

// Reads a list such as "definite,possible", "all" or "none". Returns false, with *set unchanged, if it is not
// one.
bool parse_leak_kinds(const char* text, u32* set);
bool parse_heuristics(const char* text, u32* set);

// Whether `a` is inside one of --ignore-ranges. Only for slow paths.
bool is_ignored(Address a);

}  // namespace memspy
