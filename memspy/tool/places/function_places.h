// SPDX-License-Identifier: GPL-2.0-or-later
//
// Where functions are described in the debug information of their modules. A unit is read once, when code of it
// is first asked for.
#pragma once

#include "dwarf/function_list.h"
#include "vg/modules.h"

namespace memspy::places {

// Of the function at `pc`, a link-time address; `sections` are those of the module, or of its debug file. Empty: it has
// none there, or stands inside another function.
dwarf::FunctionPlace place_of_function(vg::ModuleId module, const dwarf::Sections& sections, u64 pc);

}  // namespace memspy::places
