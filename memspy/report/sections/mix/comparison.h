// SPDX-License-Identifier: GPL-2.0-or-later
//
// Instructions and floating operations of functions.
#pragma once

#include <memory>
#include <string_view>

namespace memspy::report {
class Comparison;
}

namespace memspy::report::mix {

std::unique_ptr<Comparison> comparison(std::string_view metric);

}  // namespace memspy::report::mix
