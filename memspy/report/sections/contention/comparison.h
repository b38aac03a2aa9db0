// SPDX-License-Identifier: GPL-2.0-or-later
//
// Events of objects, and of objects and code.
#pragma once

#include <memory>
#include <string_view>

namespace memspy::report {
class Comparison;
}

namespace memspy::report::contention {

std::unique_ptr<Comparison> comparison(std::string_view metric);

}  // namespace memspy::report::contention
