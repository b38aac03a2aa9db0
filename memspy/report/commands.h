// SPDX-License-Identifier: GPL-2.0-or-later
//
// The subcommands that belong to no section. main.cc has the table; each is in a file of its own. Sections
// bring their own commands (section.h).
#pragma once

#include "report/command_line.h"
#include "report/table.h"

namespace memspy::report {

extern const Command kAnnotateCommand;
extern const Command kBugCommand;
extern const Command kClassifyCommand;
extern const Command kDiffCommand;
extern const Command kExportCommand;
extern const Command kMergeCommand;
extern const Command kSuppressCommand;
extern const Command kTableCommand;
extern const Command kTextCommand;

// The value of kFormatOption.
inline TableFormat format_of(const Arguments& arguments) {
    return arguments.value("format", "text") == "tsv" ? TableFormat::Tsv : TableFormat::Plain;
}

}  // namespace memspy::report
