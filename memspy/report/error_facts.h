// SPDX-License-Identifier: GPL-2.0-or-later
//
// Facts about an error for several commands: its place in the user's code, and an identity that stays the
// same in other runs and builds.
#pragma once

#include <set>
#include <string>

#include "report/errors.h"
#include "report/own_code.h"

namespace memspy::report {

// Object and Code: sums over a run, by the name of what they belong to or by its place, which are a gate's only
// if it names their section. Other: found once at the end, as wrong as a defect.
enum class ErrorClass : u8 { Defect, Leak, Object, Code, Other };
ErrorClass class_of(const Error& error);

// The innermost frame of the program's own code of which the source's whole path is known: distributions
// build their libraries under relative ones. Else the innermost with such a path, else with a source file,
// else the innermost. Null: there is no stack.
const ErrorFrame* own_frame(const Error& error, const OwnCode& own = OwnCode());
const ErrorFrame* own_frame(const std::vector<ErrorFrame>& stack, const OwnCode& own = OwnCode());

// The file's path: relative to `root` if it is inside, else as in the debug information. Empty: not known.
std::string source_path(const ErrorFrame& frame, const std::string& root);

// Equal for errors that are the same: kind, and the functions and files of the stack. Without addresses,
// counts and line numbers, which change with other code. A readable text, not a short one.
std::string identity(const Error& error);

// Of a finding on objects: their names, of "False sharing between a, b and c: 2.5 x ...".
std::set<std::string> objects_of(const Error& error);

// Whether the user can do something: a frame of its first stack is not the system's.
bool concerns(const Error& error, const OwnCode& own);

// 16 hexadecimal digits for a text.
std::string fingerprint(const std::string& text);

// `overflow (demo.c:18)`.
std::string label(const ErrorFrame& frame);

// The error as plain lines: description, stack, details with their stacks.
std::string full_text(const Error& error);

}  // namespace memspy::report
