// SPDX-License-Identifier: GPL-2.0-or-later
//
// Advice on redundant zeros: from counts to sentences. Only a property of all values is
// advised: a narrower type is one that would have held every value seen. Unsigned types, for a negative
// integer has no leading zeros. An address has the width that it has.
#pragma once

#include "analyses/zeros/objects.h"
#include "analyses/zeros/zeros.h"
#include "rt/text.h"

namespace memspy::zeros {

struct Advice {
    enum class Remedy : u8 {
        Constant,  // never anything but zero
        Narrow,    // a smaller type
        Skip,      // test for zero before the calculation
        Sparse     // store only nonzero parts
    };
    Remedy kind{};
    const char* type = nullptr;  // Narrow: the smaller type's name, if it is one of C's
    rt::Text* text = nullptr;    // one sentence, no full stop
};

const char* word(Advice::Remedy kind);

// Calls f for each piece of advice, the best first; its text is valid during the call.
using AdviceSink = void (*)(const Advice& advice, void* argument);
void advise(const LoadRow& row, AdviceSink f, void* argument);
void advise(const ObjectCounts& object, AdviceSink f, void* argument);

// "1-7 9-15": the bytes of each element that are always redundant.
void add_columns(rt::Text& text, const Columns& columns);

}  // namespace memspy::zeros
