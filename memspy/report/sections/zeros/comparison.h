// SPDX-License-Identifier: GPL-2.0-or-later
//
// Redundant bytes of code.
#pragma once

#include <memory>
#include <string_view>

namespace memspy::report {
class Comparison;
}

namespace memspy::report::zeros {

std::unique_ptr<Comparison> comparison(std::string_view metric);

}  // namespace memspy::report::zeros
