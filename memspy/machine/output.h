// SPDX-License-Identifier: GPL-2.0-or-later
//
// The measured figures as a table, as JSON (docs/machine.md), and the staircase as a picture.
#pragma once

#include <iosfwd>
#include <nlohmann/json.hpp>

#include "machine/measured.h"

namespace memspy::machine {

using Json = nlohmann::ordered_json;

void print_text(std::ostream& out, const Measured& m);
Json json_of(const Measured& m);
void print_svg(std::ostream& out, const Measured& m);

}  // namespace memspy::machine
