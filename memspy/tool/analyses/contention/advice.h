// SPDX-License-Identifier: GPL-2.0-or-later
//
// Sentences on a group of contending objects: their names, their figures, and the advice. The advice depends
// on which threads mainly read and write which bytes of the group's lines.
#pragma once

#include "analyses/contention/sharing_report.h"

namespace memspy::contention {

// "a, b and c": the objects in the order of their addresses, at most eight.
void add_names(rt::Text& text, const SharingReport& report, const ReportGroup& group);
// "False sharing between a and b": this text does not change from run to run.
void add_what(rt::Text& text, const SharingReport& report, const ReportGroup& group);
void add_figures(rt::Text& text, const SharingReport& report, const ReportGroup& group);
// Returns how many events of the leading view following the advice removes.
u64 add_advice(rt::Text& text, const SharingReport& report, const ReportGroup& group);

}  // namespace memspy::contention
