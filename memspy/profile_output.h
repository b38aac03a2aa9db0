// SPDX-License-Identifier: GPL-2.0-or-later
//
// When the profile file is written, and under which name.
#pragma once

#include "findings/profile.h"

namespace memspy {

void note_start_of_run();

// Writes the profile, of what the analyses have settled, to the file that --memspy-out-file names, or to
// `path` when it is given; nothing with "none" and in runs of which no analysis has a profile. The name that
// was written to, or null; it is good until the next call.
const char* write_profile(findings::MadeBy made_by, const char* path = nullptr);

}  // namespace memspy
