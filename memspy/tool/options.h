// SPDX-License-Identifier: GPL-2.0-or-later
//
// The run's options, filled from the command line before the program starts. Those marked Always in
// options.def can change later through vgdb, so they are read where they are used; the others are constant.
// options.def is the only table of them: the members, the parser and the help text are made from it.
#pragma once

#include "rt/base.h"

namespace memspy {

#define MEMSPY_ENUM(type, ...) enum class type : u8 { __VA_ARGS__ };
#define MEMSPY_BITS(type, tokens, words, ...)                                                                \
    enum type : u32 { __VA_ARGS__ };                                                                         \
    inline constexpr char tokens[] = words;
#include "options.def"

// PERCENT[.DECIMALS] in millionths, of a well-formed text.
constexpr u32 millionths(const char* text) {
    u32 value = 0, unit = 10'000;
    for (; *text >= '0' && *text <= '9'; ++text) value = value * 10 + static_cast<u32>(*text - '0');
    value *= unit;
    if (*text == '.')
        for (++text; *text != '\0'; ++text) value += (unit /= 10) * static_cast<u32>(*text - '0');
    return value;
}

struct Options {
#define MEMSPY_BOOL(when, member, name, value, help) bool member = value;
#define MEMSPY_CHOICE(when, type, member, name, words, value, help) type member = type::value;
#define MEMSPY_SET(when, member, name, tokens, values, value, help) u32 member = value;
#define MEMSPY_NUMBER(when, member, name, value, low, high, help) i64 member = value;
#define MEMSPY_PERCENT(when, member, name, value, help) u32 member = millionths(value);
#define MEMSPY_BYTE(when, member, name, help) i32 member = -1;
#define MEMSPY_TEXT(when, member, name, values, value, help) const char* member = value;
#define MEMSPY_HIDDEN(member, name, value, help) bool member = value;
#include "options.def"
};

// What MEMSPY_SPECIAL's handlers do with the whole argument, for messages, and its value. Each stands in the
// folder of its analysis.
namespace option_handlers {
#define MEMSPY_SPECIAL(when, handler, name, values, value, help)                                             \
    void handler(const char* argument, const char* value_given);
#include "options.def"
}  // namespace option_handlers

const Options& options();

// Handles one command-line argument. Returns false if it is neither memspy's nor the malloc replacement's. A
// bad value ends the run with the core's message (while the program runs: only the message).
bool process_option(const char* argument);
// Checks combinations of options. Call after the command line has been read.
void check_options();
// For handlers, and while options are being checked.
Options& options_to_change();
// Whether the option stood on the command line.
bool was_given(const char* name);
void print_usage();
void print_debug_usage();

// Ends the run with the core's message (while the program runs: the message only).
void bad_option_value(const char* argument, const char* value, const char* expected);
// False, after such a message, when the value is neither no nor yes.
bool parse_option_bool(const char* argument, const char* value, bool* result);
// Reads a list of `tokens` such as "definite,possible", "all" or "none". False, with *set untouched, when it
// is none.
bool parse_option_set(const char* tokens, const char* text, u32* set);

}  // namespace memspy
