// SPDX-License-Identifier: GPL-2.0-or-later
//
// Functions and source lines of instructions, as small numbers: all instructions of one function have its number, and
// likewise of one line. 0 is neither.
#pragma once

#include "rt/base.h"

namespace memspy::locality {

struct CodeName {
    u32 function = 0, line = 0;
};
// Slow; to be asked while the code is mapped.
CodeName code_at(Address instruction);

struct FunctionName {
    const char* name = nullptr;    // demangled; null: it has none
    const char* module = nullptr;  // path, or null
};
struct LineName {
    const char* folder = nullptr;  // may be null
    const char* file = nullptr;
    u32 line = 0;
};
const FunctionName& function_name(u32 function);
const LineName& line_name(u32 line);

}  // namespace memspy::locality
