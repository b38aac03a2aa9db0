// SPDX-License-Identifier: GPL-2.0-or-later
//
// Advice on redundant zeros: from counts to remedies; advice/zeros.h has the words. Advice is based on
// properties of all values only: a narrower type would have held every value seen. Types are unsigned,
// because a negative integer has no leading zeros. Addresses get no advice, because their width is fixed.
#pragma once

#include "advice/zeros.h"
#include "analyses/zeros/code_report.h"
#include "analyses/zeros/objects.h"
#include "rt/text.h"

namespace memspy::zeros {

using advice::ZeroAdvice;

// Calls f for each piece of advice, the best first. Its texts are valid during the call.
using AdviceSink = void (*)(const ZeroAdvice& advice, void* argument);
void advise(const LoadRow& row, AdviceSink f, void* argument);
void advise(const ObjectCounts& object, AdviceSink f, void* argument);

// "1-7 9-15": the bytes that are redundant in every element.
void add_columns(rt::Text& text, const Columns& columns);

}  // namespace memspy::zeros
