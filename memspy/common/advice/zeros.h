// SPDX-License-Identifier: GPL-2.0-or-later
//
// Advice on redundant zeros, as data, and its words.
#pragma once

#include "rt/text.h"

namespace memspy::advice {

enum class ZeroRemedy : u8 {
    Constant,  // it is always zero
    Narrow,    // a smaller type
    Skip,      // test for zero before the calculation
    Sparse,    // store only nonzero parts
    Count
};
// What has the zeros.
enum class ZeroPart : u8 {
    Values,   // that are loaded, or a member of each element
    Object,   // all of it
    Rows,     // of an object
    Blocks,   // of an object
    Columns,  // bytes of each element
    Tail,     // the last bytes of each element's member
    Planes,   // of an array: all elements with one index in one of its dimensions
    Stripes,  // the same of two dimensions
    Count
};

const char* word(ZeroRemedy remedy);
const char* word(ZeroPart part);

struct ZeroAdvice {
    ZeroRemedy remedy{};
    ZeroPart part{};
    const char* type = "";       // Narrow: the smaller type's name, if C has one
    const char* name = "value";  // or the member's
    u64 bytes = 0;               // of a value, row, block or element
    u64 zero = 0, all = 0;       // so many of all; of Tail: bytes
    const char* columns = "";    // "1-7 9-15"; of Planes and Stripes the index, "[.][j][.]"
};

// One sentence, no full stop.
void add_sentence(rt::Text& text, const ZeroAdvice& advice);

}  // namespace memspy::advice
