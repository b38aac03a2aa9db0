// SPDX-License-Identifier: GPL-2.0-or-later
//
// The debug information of a module.
#pragma once

#include "dwarf/sections.h"
#include "rt/text.h"
#include "vg/mapped_file.h"
#include "vg/modules.h"

namespace memspy::places {

// f(sections) for the debug information in the file, then for that in the debug file of its build-id, until f
// returns true.
template <typename F>
bool with_debug_sections(const vg::Module& module, F f) {
    // A file without sections is not the one that runs.
    if (module.sections == nullptr) return false;
    const auto try_file = [&f](const char* path) {
        const vg::MappedFile file(path);
        return f(dwarf::Sections({file.data(), file.size()}));
    };
    if (try_file(module.path)) return true;
    const char* const id = module.build_id;
    if (id == nullptr || id[0] == '\0' || id[1] == '\0' || id[2] == '\0') return false;
    rt::Text path;
    path.add("/usr/lib/debug/.build-id/").add(id[0]).add(id[1]).add('/').add(id + 2).add(".debug");
    return try_file(path.c_str());
}

}  // namespace memspy::places
