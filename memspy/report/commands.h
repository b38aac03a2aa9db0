// SPDX-License-Identifier: GPL-2.0-or-later
//
// The subcommands: main.cc has the table, each of them a file of its own.
#pragma once

#include "report/command_line.h"

namespace memspy::report {

extern const Command kAnnotateCommand;
extern const Command kDiffCommand;
extern const Command kExportCommand;
extern const Command kMergeCommand;
extern const Command kSuppressCommand;
extern const Command kTextCommand;

}  // namespace memspy::report
