// SPDX-License-Identifier: GPL-2.0-or-later
//
// Wasted bytes of functions.
#pragma once

#include <memory>
#include <string_view>

namespace memspy::report {
class Comparison;
}

namespace memspy::report::waste {

std::unique_ptr<Comparison> comparison(std::string_view metric);

}  // namespace memspy::report::waste
