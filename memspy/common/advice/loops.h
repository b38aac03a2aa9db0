// SPDX-License-Identifier: GPL-2.0-or-later
//
// Advice on loops and what they go through, as data, and its words. The tool decides it
// (analyses/locality/advice.h says what each kind means).
#pragma once

#include "advice/advice.h"
#include "rt/text.h"

namespace memspy::advice {

enum class LoopRemedy : u8 { Interchange, Tiles, Columns, HotField, Blocks, Count };
const char* word(LoopRemedy remedy);
LoopRemedy loop_remedy_of(const char* word);

struct LoopAdvice {
    LoopRemedy remedy{};
    AdviceItem object{};
    const char* function = "";
    const char* file = "";  // "": the line is not known
    u64 line = 0;
    u64 step = 0;                        // between accesses, in bytes; the length of a row
    u64 shift = 0;                       // Interchange, Tiles: of the loop around it
    u64 used = 0;                        // HotField, Columns: bytes of a row
    u64 cache = 0;                       // Blocks: bytes of it
    u64 low = 0, high = 0;               // Blocks: distances in bytes
    u64 loops = 1;                       // Blocks: that go through the object one after the other
    double spatial = -1, temporal = -1;  // of the object in the function, before; -1: not known
};

void add_sentence(rt::Text& text, const LoopAdvice& advice);
// "heap blocks table of main (program.c:8)": as in a list, without "a".
void add_bare_name(rt::Text& text, const AdviceItem& item);
// Five decimals.
void add_fraction(rt::Text& text, double value);

}  // namespace memspy::advice
