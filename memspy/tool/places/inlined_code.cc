// SPDX-License-Identifier: GPL-2.0-or-later
#include "places/inlined_code.h"

#include "dwarf/allocations.h"
#include "places/debug_sections.h"
#include "rt/global.h"
#include "rt/hash_map.h"
#include "rt/system_paths.h"

namespace memspy::places {
namespace {

rt::Global<rt::HashMap<u8>> allocators;  // by code: see is_allocator_code; 0: not asked yet

}  // namespace

bool find_own_call(Address code, dwarf::InlinedCall* call) {
    const vg::ModuleId id = vg::module_of_code(code);
    if (id == vg::ModuleId::None) return false;
    const vg::Module& module = vg::module(id);
    return with_debug_sections(module, [&](const dwarf::Sections& sections) {
        return dwarf::find_own_call(sections, code - module.bias, rt::is_system_path, call);
    });
}

bool is_allocator_code(Address code, u32 depth) {
    const vg::ModuleId id = vg::module_of_code(code);
    if (id == vg::ModuleId::None) return false;
    const vg::Module& module = vg::module(id);
    enum : u8 { kNo = 1, kYes };
    constexpr u32 kMostDepth = 16;
    if (depth >= kMostDepth) return false;
    u8& answer = (*allocators)[code * kMostDepth + depth];
    if (answer == 0)
        answer = with_debug_sections(module,
                                     [&](const dwarf::Sections& sections) {
                                         return dwarf::is_allocator(sections, code - module.bias, depth);
                                     })
                     ? kYes
                     : kNo;
    return answer == kYes;
}

dwarf::Language language_of(Address code) {
    dwarf::Language found = dwarf::Language::Other;
    const vg::ModuleId id = vg::module_of_code(code);
    if (code == 0 || id == vg::ModuleId::None) return found;
    const vg::Module& module = vg::module(id);
    with_debug_sections(module, [&](const dwarf::Sections& sections) {
        found = dwarf::language_of(sections, code - module.bias);
        return true;
    });
    return found;
}

}  // namespace memspy::places
