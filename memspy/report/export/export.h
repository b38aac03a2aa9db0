// SPDX-License-Identifier: GPL-2.0-or-later
//
// Formats that other programs read: the table in export.cc, and those that sections bring (Section::exports). A new one
// is a file with its function, a line in one of the tables and its word in the option.
#pragma once

#include <ostream>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "report/command_line.h"
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
    bool whole = true;        // false: an input was damaged
    bool profiles_read = false;
};

struct ExportFormat {
    std::string_view name;
    std::string_view what;  // in --help
    void (*write)(ExportJob& job);
};

void export_callgrind(ExportJob& job);
void export_codequality(ExportJob& job);
void export_folded(ExportJob& job);
void export_helgrind4(ExportJob& job);
void export_json(ExportJob& job);
void export_junit(ExportJob& job);
void export_lines(ExportJob& job);
void export_memcheck4(ExportJob& job);
void export_sarif(ExportJob& job);
void export_speedscope(ExportJob& job);

// For these functions: reads the inputs of the job, of which there must be at least one. Findings among the errors
// have the names that the job's profiles give them. Without error files, the errors are the findings of the profiles.
void read_profiles(ExportJob& job, ProfileHandler& handler);
std::vector<ErrorFile> read_errors(ExportJob& job);

}  // namespace memspy::report
