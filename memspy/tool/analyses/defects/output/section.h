// SPDX-License-Identifier: GPL-2.0-or-later
//
// The element <defects> of the profile file: the errors of all analyses that are not sums, and the leaks of
// the last search.
#pragma once

#include "profile/profile.h"

namespace memspy::defects {

bool has_findings();
extern const profile::ProfileSection kSection;

}  // namespace memspy::defects
