// SPDX-License-Identifier: GPL-2.0-or-later
//
// The sentences of a group, from its data.
#pragma once

#include <string>

#include "report/sections/contention/records.h"

namespace memspy::report::contention {

std::string what_of(const Group& group);
std::string advice_of(const Group& group);

}  // namespace memspy::report::contention
