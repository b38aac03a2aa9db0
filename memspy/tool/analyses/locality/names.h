// SPDX-License-Identifier: GPL-2.0-or-later
//
// Functions and source lines of instructions, as small numbers: all instructions of one function have the
// same number, and likewise those of one line. 0: not known. What headers of the system put into the program's code
// is at the line that calls it.
#pragma once

#include "rt/base.h"

namespace memspy::locality {

struct CodeName {
    u32 function = 0, line = 0;
};
// Slow. Call while the code is mapped.
CodeName code_at(Address instruction);

struct FunctionName {
    const char* name = nullptr;    // demangled; null if there is none
    const char* module = nullptr;  // path, or null
    bool own = false;              // not a library of the system's
};
struct LineName {
    const char* folder = nullptr;  // may be null
    const char* file = nullptr;
    u32 line = 0;
    bool own = false;  // as of functions
};
const FunctionName& function_name(u32 function);
const LineName& line_name(u32 line);

}  // namespace memspy::locality
