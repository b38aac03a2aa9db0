// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/export/job.h"

namespace memspy::report {

void read_profiles(ExportJob& job, ProfileHandler& handler) {
    if (job.profiles.empty()) throw UsageError("this format is made of profiles: give one");
    job.whole &= job.inputs.read_profiles(job.profiles, handler);
    job.profiles_read = true;
}

}  // namespace memspy::report
