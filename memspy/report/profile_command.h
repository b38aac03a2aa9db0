// SPDX-License-Identifier: GPL-2.0-or-later
//
// What commands that show a section of profiles have in common.
#pragma once

#include <functional>
#include <ostream>

#include "report/commands.h"
#include "report/model.h"
#include "report/source_names.h"

namespace memspy::report {

// --top: how many rows; programs get all unless they ask for less. 0 asks for all.
inline u64 most_rows(const Arguments& arguments) {
    const u64 asked = arguments.number("top", format_of(arguments) == TableFormat::Tsv ? 0 : 20);
    return asked == 0 ? ~u64{0} : asked;
}

// Reads the command's profiles, with names, and has `print` write to its output; there are no names with
// --names=no. Returns the exit code.
int show_profiles(const Arguments& arguments, ProfileHandler& reader,
                  const std::function<void(std::ostream& out, SourceNames* names)>& print);

}  // namespace memspy::report
