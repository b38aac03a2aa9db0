// SPDX-License-Identifier: GPL-2.0-or-later
//
// What an export works on.
#pragma once

#include <ostream>
#include <string>
#include <string_view>
#include <vector>

#include "report/input.h"
#include "report/own_code.h"
#include "report/source_names.h"

namespace memspy::report {

// The input and output of an export.
struct ExportJob {
    Inputs& inputs;
    SourceNames* names;  // or null
    const std::vector<std::string>& profiles;
    const std::vector<std::string>& errors;
    std::ostream& out;
    std::string root;         // paths of sources are written relative to it
    std::string_view metric;  // for formats that have only one
    OwnCode own;              // whose lines stand for a stack
    std::string folder;       // for formats that are no stream
    bool whole = true;        // false: an input was damaged
    bool profiles_read = false;
};

// Reads the job's profiles, of which there must be at least one.
void read_profiles(ExportJob& job, ProfileHandler& handler);

}  // namespace memspy::report
