// SPDX-License-Identifier: GPL-2.0-or-later
//
// The elements <wait> of the profile: what threads waited for, and when.
#pragma once

#include "remedies/sharing_report.h"
#include "rt/xml_writer.h"

namespace memspy::contention {

using namespace remedies;

void write_waits(profile::XmlWriter& xml, const SharingReport& report);

}  // namespace memspy::contention
