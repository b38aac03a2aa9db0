// SPDX-License-Identifier: GPL-2.0-or-later
//
// The names of streams in texts.
#pragma once

#include "analyses/locality/streams.h"
#include "rt/text.h"

namespace memspy::locality {

const char* word(StreamKind kind);
// "malloc in main (a.c:3)", "table", "multiply", "a.c:7", "thread 2"; for a pair both names.
void add_name(rt::Text& text, const Stream& stream);
void add_object_name(rt::Text& text, u32 object);
void add_function_name(rt::Text& text, u32 function);
// "0.3875"
void add_fraction(rt::Text& text, double value);

}  // namespace memspy::locality
