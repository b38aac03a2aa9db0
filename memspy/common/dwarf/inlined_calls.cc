// SPDX-License-Identifier: GPL-2.0-or-later
#include "dwarf/inlined_calls.h"

#include "dwarf/functions_at.h"

namespace memspy::dwarf {

bool find_own_call(const Sections& sections, u64 pc, bool (*is_foreign)(const char* folder),
                   InlinedCall* call) {
    return with_near_unit(sections, pc, [&](const InfoUnit& unit) {
        FunctionsAt functions(unit, pc);
        u32 depth = call->depth < functions.count() ? call->depth : functions.count();
        while (depth-- > 0 && functions.choose(depth)) {
            if (functions.call_line() == 0) continue;
            call->folder.reset();
            call->file.reset();
            unit.add_file(call->file, functions.call_file(), &call->folder);
            if (call->file.empty() || is_foreign(call->folder.c_str())) continue;
            const Attribute name = functions.types().inherited(functions.function(), AttributeName::Name);
            const char* const text = unit.text(name);
            call->function.reset();
            if (text != nullptr) call->function.add(text);
            call->line = functions.call_line();
            call->depth = depth;
            return true;
        }
        return false;
    });
}

}  // namespace memspy::dwarf
