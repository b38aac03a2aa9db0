// SPDX-License-Identifier: GPL-2.0-or-later
//
// Writes Valgrind's error XML, as error_reader.h reads it.
#pragma once

#include <ostream>

#include "report/input.h"

namespace memspy::report {

// `tool` and `protocol` are those that the file names.
void write_error_file(std::ostream& out, const ErrorFile& file, const char* tool, const char* protocol);

}  // namespace memspy::report
