// SPDX-License-Identifier: GPL-2.0-or-later
//
// The table of formats that other programs read. Adding one is a file with its function and a line in the
// table.
#pragma once

#include <ostream>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "report/input.h"
#include "report/source_names.h"

namespace memspy::report {

// What there is to export, and where to.
struct ExportJob {
    Inputs& inputs;
    SourceNames* names;  // or null
    const std::vector<std::string>& profiles;
    const std::vector<std::string>& errors;
    std::ostream& out;
    bool whole = true;  // false: an input was broken
};

struct ExportFormat {
    std::string_view name;
    std::string_view what;  // in --help
    void (*write)(ExportJob& job);
};
std::span<const ExportFormat> export_formats();

void export_json(ExportJob& job);

}  // namespace memspy::report
