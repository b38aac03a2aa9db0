// SPDX-License-Identifier: GPL-2.0-or-later
//
// Simulated cycles of objects.
#pragma once

#include <memory>
#include <string_view>

namespace memspy::report {
class Comparison;
}

namespace memspy::report::cost {

std::unique_ptr<Comparison> comparison(std::string_view metric);

}  // namespace memspy::report::cost
