// SPDX-License-Identifier: GPL-2.0-or-later
//
// The run's options, filled from the command line before the program starts. Those marked Always in
// options.def can change later through vgdb, so they are read where they are used; the others are constant.
// options.def is the one table of them; the members, the parser and the help text come from it.
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

// PERCENT[.DECIMALS] in millionths, of a well-formed text.
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
    const char* simulated_machine = "auto";
    const char* out_file = kDefaultOutFile;  // before expansion; null: no profile
};

const Options& options();

// Takes one command-line argument. False when it is neither memspy's nor the malloc replacement's; a bad
// value ends the run with the core's message (while the program runs: the message only).
bool process_option(const char* argument);
// Looks at combinations once all arguments are known; call after the command line.
void check_options();
// The same, while they are being checked; and whether the option stood on the command line.
Options& options_to_check();
bool was_given(const char* name);
void print_usage();
void print_debug_usage();

// Reads a list such as "definite,possible", "all" or "none". False, with *set untouched, when it is none.
bool parse_leak_kinds(const char* text, u32* set);
bool parse_heuristics(const char* text, u32* set);

// Is `a` inside one of --ignore-ranges? Only for slow paths.
bool is_ignored(Address a);

}  // namespace memspy
