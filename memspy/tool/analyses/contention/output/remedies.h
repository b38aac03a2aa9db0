// SPDX-License-Identifier: GPL-2.0-or-later
//
// What is told of a group, as data in the profile: <headline> and <remedy>.
#pragma once

#include "remedies/sharing_report.h"
#include "rt/xml_writer.h"

namespace memspy::contention {

using namespace remedies;

void write_headline(profile::XmlWriter& xml, const SharingReport& report, const ReportGroup& group);
void write_remedies(profile::XmlWriter& xml, const SharingReport& report, const ReportGroup& group);

}  // namespace memspy::contention
