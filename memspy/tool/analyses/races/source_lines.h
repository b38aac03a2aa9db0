// SPDX-License-Identifier: GPL-2.0-or-later
//
// The text of a line of the program's source, for what machine code does not tell: that an access is atomic,
// or that a test and a store are a maximum.
#pragma once

#include "rt/base.h"

namespace memspy::races {

struct LineText {
    static constexpr usize kLength = 240;  // of which the text is looked at
    char text[kLength] = {};
    usize length = 0;

    void clear() {
        length = 0;
        text[0] = '\0';
    }
    void add(char c) {
        if (length + 1 < kLength) text[length++] = c;
        text[length] = '\0';
    }
};

// A line and the one before it, which may be its directive or its condition.
struct SourceLines {
    LineText before, line;
};

// The line of the instruction. False where there is no source.
bool read_source(Address instruction, SourceLines* lines);
// Calls test(context, number, text) for lines of the instruction's file, from `first` on, until it returns false.
using LineTest = bool(void* context, u32 number, const LineText& text);
void read_source_of(Address instruction, u32 first, LineTest* test, void* context);
// Whether the line or the one before it has a word for atomics. Fast: a file is read once.
bool mentions_atomics(Address instruction);

}  // namespace memspy::races
