// SPDX-License-Identifier: GPL-2.0-or-later
//
// The times at which the profile file is written, and its name.
#pragma once

#include "profile/profile.h"

namespace memspy {

void note_start_of_run();

// False with --memspy-out-file=none.
bool names_profile();

// When the profile could not be written at the end to the file that the user named, ends memspy, with a line
// that says why: better than to find that out after the run. Without such a name, says that it will be
// elsewhere. Once the options are known.
void check_profile_path();

// Writes the settled results of the analyses to the file of --memspy-out-file, or to `path` if it is not
// null; nothing with "none", and nothing if no analysis has a profile. If the option's file cannot be written
// any more, one of that name is in the folder for temporary files, and a line says so. Returns the file's
// name, or null; it is valid until the next call.
const char* write_profile(profile::MadeBy made_by, const char* path = nullptr);

}  // namespace memspy
