// SPDX-License-Identifier: GPL-2.0-or-later
//
// A compiler that optimises keeps a variable in a register while a loop runs: it is loaded ahead of the loop and
// stored behind it, and the debug information has the loop's head, or the directive, for both; or a value is stored
// behind an inlined call, at the call's last line. The program's line is one below that names the variable,
// or one of a function above that is inlined. What clang loads for two branches at once, it gives no line of its own:
// in a function of <thread> with the program's code inlined it looks like a line of the header.
#pragma once

#include "rt/base.h"

namespace memspy::races {

// An instruction of that line in the same function, if the access's line cannot have made it: its text does not have
// the variable ("sum", "s.low of main"). The instruction itself if it can, or where there is no source. by_library: no
// code of the program has called it.
Address in_its_line(Address instruction, const char* variable, bool stores, bool by_library);

}  // namespace memspy::races
