// SPDX-License-Identifier: GPL-2.0-or-later
//
// Compilers give line 0 to code that belongs to no line, such as one store that they made of two. The core
// would show it as file.c:0. The linker sends each row of line tables that the core reads here (--wrap,
// flags.mk): such code has the line of the code right before it, if that is of the same file; else no line,
// so that only the function is named.
#include "vg/vg.h"

extern "C" {
struct _DebugInfo;
using AddLine = void(_DebugInfo*, UInt, Addr, Addr, Int, Int);
AddLine __real_vgModuleLocal_addLineInfo, __wrap_vgModuleLocal_addLineInfo;

void __wrap_vgModuleLocal_addLineInfo(_DebugInfo* module, UInt file, Addr begin, Addr end, Int line,
                                      Int entry) {
    static UInt last_file = 0;
    static Addr last_end = 0;
    static Int last_line = 0;
    if (line == 0) line = file == last_file && begin == last_end ? last_line : 0;
    last_file = file;
    last_end = end;
    last_line = line;
    if (line != 0) __real_vgModuleLocal_addLineInfo(module, file, begin, end, line, entry);
}
}
