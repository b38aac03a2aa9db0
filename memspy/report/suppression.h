// SPDX-License-Identifier: GPL-2.0-or-later
//
// Suppressions for errors that survive small changes of the program: a few frames of the stack, `...` for
// frames without a name.
#pragma once

#include <string>

#include "report/errors.h"

namespace memspy::report {

inline constexpr u64 kSuppressedFrames = 4;

// The kind and the frames, of which so many are named. Empty if there is no frame that a suppression could
// name.
std::string suppression_of(const Error& error, u64 named_frames);

// With braces and a name that begins with `prefix`.
std::string whole_suppression(const std::string& prefix, const Error& error, const std::string& body);

}  // namespace memspy::report
