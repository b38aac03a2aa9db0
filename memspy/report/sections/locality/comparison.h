// SPDX-License-Identifier: GPL-2.0-or-later
//
// Accesses of functions that caches do not help, and scores of functions and objects.
#pragma once

#include <memory>
#include <string_view>

namespace memspy::report {
class Comparison;
}

namespace memspy::report::locality {

std::unique_ptr<Comparison> comparison(std::string_view metric);

}  // namespace memspy::report::locality
