// SPDX-License-Identifier: GPL-2.0-or-later
//
// When the profile file is written, and under which name.
#pragma once

#include "profile/profile.h"

namespace memspy {

void note_start_of_run();

// Ends memspy, with a line that says why, when the profile could not be written at the end: better than to
// find that out after the run. Once the options are known.
void check_profile_path();

// Writes the profile, of what the analyses have settled, to the file that --memspy-out-file names, or to
// `path` when it is given; nothing with "none" and in runs of which no analysis has a profile. The name that
// was written to, or null; it is good until the next call.
const char* write_profile(profile::MadeBy made_by, const char* path = nullptr);

}  // namespace memspy
