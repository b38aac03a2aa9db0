// SPDX-License-Identifier: GPL-2.0-or-later
//
// Findings of profiles as the errors that their runs reported, for formats that are made of errors.
#pragma once

#include "report/input.h"

namespace memspy::report {

struct ExportJob;

// Of the job's profiles, which are read. They know no defects.
ErrorFile findings_of_profiles(ExportJob& job);

}  // namespace memspy::report
