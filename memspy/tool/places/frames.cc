// SPDX-License-Identifier: GPL-2.0-or-later
#include "places/frames.h"

#include "rt/system_paths.h"
#include "threads/call_tree.h"
#include "vg/modules.h"

// Only the core's own headers declare these. They are the only way to the entries of a context.
extern "C" {
extern StackTrace VG_(get_ExeContext_StackTrace)(ExeContext* context);
}

namespace memspy::places {

u32 code_of(const Place& place, Addr* code, u32 most) {
    code[0] = place.instruction;
    const u32 count = 1 + threads::return_addresses(place.path, code + 1, most - 1);
    for (u32 i = 1; i < count; ++i) --code[i];
    return count;
}

bool is_library_file(const char* module) {
    return rt::is_system_path(module) || VG_(strstr)(module, "vgpreload_") != nullptr;
}

bool is_linked_in(Address instruction) {
    static const bool is_static = vg::dynamic_linker().empty();
    const HChar *file = nullptr, *folder = nullptr;
    UInt line = 0;
    if (!is_static || VG_(get_filename_linenum)(VG_(current_DiEpoch)(), instruction, &file, &folder, &line))
        return false;
    const vg::ModuleId id = vg::module_of_code(instruction);
    return id != vg::ModuleId::None && id == vg::main_module() && vg::module(id).has_lines;
}

bool is_library_code(DiEpoch epoch, Addr a) {
    const HChar* module = nullptr;
    return VG_(get_objname)(epoch, a, &module) && (is_library_file(module) || is_linked_in(a));
}

bool is_library_code(Address instruction) { return is_library_code(VG_(current_DiEpoch)(), instruction); }

ContextId stack_of(const Place& place) {
    constexpr UInt kMost = 100;
    Addr addresses[kMost];
    const UInt wanted = VG_(clo_backtrace_size) < static_cast<Int>(kMost)
                            ? static_cast<UInt>(VG_(clo_backtrace_size))
                            : kMost;
    if (place.instruction == 0) return ContextId::None;
    const UInt count = code_of(place, addresses, wanted);
    return id_of(VG_(make_ExeContext_from_StackTrace)(addresses, count));
}

Frames frames_of(ExeContext* context) {
    return {VG_(get_ExeContext_StackTrace)(context), static_cast<u32>(VG_(get_ExeContext_n_ips)(context))};
}

}  // namespace memspy::places
