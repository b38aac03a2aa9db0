// SPDX-License-Identifier: GPL-2.0-or-later
//
// Bytes and blocks of the heap, of functions.
#pragma once

#include <memory>
#include <string_view>

namespace memspy::report {
class Comparison;
}

namespace memspy::report::heap_profile {

std::unique_ptr<Comparison> comparison(std::string_view metric);

}  // namespace memspy::report::heap_profile
