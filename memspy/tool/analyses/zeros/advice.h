// SPDX-License-Identifier: GPL-2.0-or-later
//
// Advice on redundant zeros: from counts to sentences. Advice is based on properties of all values only: a
// narrower type would have held every value seen. Types are unsigned, because a negative integer has no
// leading zeros. Addresses get no advice, because their width is fixed.
#pragma once

#include "analyses/zeros/objects.h"
#include "analyses/zeros/zeros.h"
#include "rt/text.h"

namespace memspy::zeros {

struct Advice {
    enum class Remedy : u8 {
        Constant,  // is always zero
        Narrow,    // a smaller type
        Skip,      // test for zero before the calculation
        Sparse     // store only nonzero parts
    };
    Remedy kind{};
    const char* type = nullptr;  // Narrow: the smaller type's name, if C has one
    rt::Text* text = nullptr;    // one sentence, no full stop
};

const char* word(Advice::Remedy kind);

// Calls f for each piece of advice, the best first. The text is valid during the call.
using AdviceSink = void (*)(const Advice& advice, void* argument);
void advise(const LoadRow& row, AdviceSink f, void* argument);
void advise(const ObjectCounts& object, AdviceSink f, void* argument);

// "1-7 9-15": the bytes that are redundant in every element.
void add_columns(rt::Text& text, const Columns& columns);

}  // namespace memspy::zeros
