// SPDX-License-Identifier: GPL-2.0-or-later
//
// Formats that other programs read: the table in export.cc, and those that sections bring (Section::exports).
// A new one is a file with its function, a line in one of the tables and its word in the option.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "report/command_line.h"
#include "report/export/job.h"

namespace memspy::report {

struct ExportFormat {
    std::string_view name;
    std::string_view what;  // in --help
    void (*write)(ExportJob& job);
    bool writes_folder = false;  // by itself, ExportJob::folder
};

void export_callgrind(ExportJob& job);
void export_codequality(ExportJob& job);
void export_folded(ExportJob& job);
void export_helgrind4(ExportJob& job);
void export_json(ExportJob& job);
void export_junit(ExportJob& job);
void export_lines(ExportJob& job);
void export_memcheck4(ExportJob& job);
void export_otf2(ExportJob& job);
void export_sarif(ExportJob& job);
void export_speedscope(ExportJob& job);

// For these functions: reads the error files of the job. Findings among the errors have the names that the
// job's profiles give them. Without error files, the errors are the findings of the profiles.
std::vector<ErrorFile> read_errors(ExportJob& job);

}  // namespace memspy::report
