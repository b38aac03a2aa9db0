// SPDX-License-Identifier: GPL-2.0-or-later
//
// What threads waited for, as people know it. The replay has a row for each word and instruction
// (replay/waits.h), but threads sleep on several words of one condition variable by turns, in several places
// of its library. Rows of one name and one place in the program are one here. No Valgrind here.
#pragma once

#include "remedies/sharing_report.h"

namespace memspy::remedies {

// Fills report.waits, its parts, its threads' times, and report.waited. Waits of less than a thousandth of the
// longest are left out.
void collect_waits(SharingReport& report);

// "queue.lock", "pool.mutex of main": the variable or member that the word at this offset is in. What a
// library's types have inside, such as the words of a mutex, is left out. False if none is known.
bool add_variable(rt::Text& text, const ReportSettings& settings, ObjectId object, Address code, u64 offset);

}  // namespace memspy::remedies
