// SPDX-License-Identifier: GPL-2.0-or-later
//
// What is redundant in each element of an array, by the members of its type.
#pragma once

#include "report/record_type.h"

namespace memspy::report {
class ProfileHandler;
class SourceNames;
}  // namespace memspy::report

namespace memspy::report::zeros {

void pass_with_names(const AnyRecord& record, SourceNames& names, ProfileHandler& to);

}  // namespace memspy::report::zeros
