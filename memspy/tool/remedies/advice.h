// SPDX-License-Identifier: GPL-2.0-or-later
//
// What is told about a group of contending objects: their names, their figures, and the advice. The advice
// depends on which threads mainly read and write which bytes of the group's lines. It is decided here;
// advice/sentence.h has the words.
#pragma once

#include "remedies/sharing_report.h"

namespace memspy::remedies {

// Names the group's objects, and says how they meet.
void name_objects(SharingReport& report, ReportGroup& group);
// Its advice, which the group must not have yet, and how many events of the leading view following it
// removes.
void advise(SharingReport& report, ReportGroup& group);

// "False sharing between a and b": this text does not change from run to run.
void add_what(rt::Text& text, const SharingReport& report, const ReportGroup& group);
void add_figures(rt::Text& text, const SharingReport& report, const ReportGroup& group);

}  // namespace memspy::remedies
