// SPDX-License-Identifier: GPL-2.0-or-later
//
// The access maps in the profile file: those of the objects with most accesses.
#pragma once

#include "rt/xml_writer.h"

namespace memspy::locality {

void write_maps(profile::XmlWriter& xml);

}  // namespace memspy::locality
