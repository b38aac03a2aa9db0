// SPDX-License-Identifier: GPL-2.0-or-later
//
// What several commands want to know of an error: where in the user's code it is, and by what it is known
// again in another run or another build.
#pragma once

#include <string>

#include "report/errors.h"

namespace memspy::report {

enum class ErrorClass : u8 { Defect, Leak, Sharing, Other };
ErrorClass class_of(const Error& error);

// The innermost frame in code of which the source's whole path is known: distributions build their libraries
// under relative ones. Else the innermost with a source file, else the innermost. Null: there is no stack.
const ErrorFrame* own_frame(const Error& error);

// The file's path: relative to `root` if it is inside, else as it is in the debug information. Empty: not
// known.
std::string source_path(const ErrorFrame& frame, const std::string& root);

// The same for errors that are the same: kind, and the functions and files of the stack. No addresses, counts
// or line numbers, which change when something else does. Text, for people to read in a debugger, not short.
std::string identity(const Error& error);

// 16 hexadecimal digits for a text.
std::string fingerprint(const std::string& text);

// `overflow (demo.c:18)`.
std::string label(const ErrorFrame& frame);

// The error in plain lines: what, stack, details with their stacks.
std::string full_text(const Error& error);

}  // namespace memspy::report
