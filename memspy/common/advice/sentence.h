// SPDX-License-Identifier: GPL-2.0-or-later
//
// The words for advice. They decide nothing: each remedy has its sentence.
#pragma once

#include "advice/advice.h"
#include "rt/text.h"

namespace memspy::advice {

// "Pad each element of counts (8 bytes) to 64 …: removes 3 of 4 modelled events. To change: counts
// (program.c:4)".
void add_sentence(rt::Text& text, const AdvicePlan& plan);

// "a, b and heap blocks counts of main (program.c:8)".
void add_names(rt::Text& text, const AdviceItem* items, usize count, bool more);
void add_name(rt::Text& text, const AdviceItem& item);
// "stats.hits and stats.misses", or "bytes 0..15 of stats"; the first of two without the object's name, which is
// add_owner's.
void add_part(rt::Text& text, const AdviceItem& item);
void add_fields(rt::Text& text, const AdviceItem& item);
void add_owner(rt::Text& text, const AdviceItem& item);
// "thread 2", "several threads".
void add_user(rt::Text& text, const AdviceItem& item);

// "False sharing between a and b": it does not change from run to run. `beside`: of another finding, null for
// none.
enum class Encounter : u8 { Between, Inside, SameBytes, Unknown, Count };
const char* word(Encounter meeting);
Encounter meeting_of(const char* word);
void add_what(rt::Text& text, Encounter meeting, const AdviceItem* items, usize count, bool more,
              const AdviceItem* beside);

}  // namespace memspy::advice
