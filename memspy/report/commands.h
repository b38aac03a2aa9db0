// SPDX-License-Identifier: GPL-2.0-or-later
//
// The subcommands that are of no section: main.cc has the table, each of them a file of its own. Sections
// bring theirs (section.h).
#pragma once

#include "report/command_line.h"
#include "report/table.h"

namespace memspy::report {

extern const Command kAnnotateCommand;
extern const Command kDiffCommand;
extern const Command kExportCommand;
extern const Command kMergeCommand;
extern const Command kSuppressCommand;
extern const Command kTableCommand;
extern const Command kTextCommand;

// Of kFormatOption.
inline TableFormat format_of(const Arguments& arguments) {
    return arguments.value("format", "text") == "tsv" ? TableFormat::Tsv : TableFormat::Plain;
}

}  // namespace memspy::report
