// SPDX-License-Identifier: GPL-2.0-or-later
//
// What is told of a group, from its data.
#pragma once

#include <string>
#include <vector>

#include "report/errors.h"
#include "report/sections/contention/records.h"

namespace memspy::report::contention {

std::string what_of(const Group& group);
std::string advice_of(const Group& group);
// The same as data.
std::vector<ErrorRemedy> remedies_of(const Group& group);

}  // namespace memspy::report::contention
