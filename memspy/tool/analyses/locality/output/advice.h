// SPDX-License-Identifier: GPL-2.0-or-later
//
// Advice in the profile file and in the summary.
#pragma once

#include "analyses/locality/advice.h"
#include "rt/text.h"
#include "rt/xml_writer.h"

namespace memspy::locality {

// "interchange the loops around a.c:7 (multiply): …"
void add_advice(rt::Text& text, const LocalityAdvice& advice);
void write_advice(profile::XmlWriter& xml);

}  // namespace memspy::locality
