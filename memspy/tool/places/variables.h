// SPDX-License-Identifier: GPL-2.0-or-later
//
// Names from debug information, for reports: the fields of static variables, variables on stacks, and where variables
// are declared. `code` is an instruction that uses the object, or 0; its compilation unit is searched first.
#pragma once

#include "dwarf/inlined_calls.h"
#include "dwarf/sections.h"
#include "dwarf/statics.h"
#include "dwarf/types.h"
#include "places/names.h"
#include "places/objects.h"
#include "rt/text.h"
#include "vg/mapped_file.h"

namespace memspy::places {

// Appends what lies in `bytes` bytes at `offset`: "stats[2].hits and stats[2].misses", "k of main". `offset` counts from
// the start of the symbol or frame. Returns false if it is not known, or too much.
bool add_fields(rt::Text& text, ObjectId id, Address code, u64 offset, u64 bytes);

// The array that has elements of so many bytes there: "stats.done of main", and their type: "struct Stats (program.c:4)",
// "long"; empty if it is not known. For a heap block, the variable that it is allocated for, which may be empty, too, if the
// type is known. False if there is none.
bool name_element(ElementName& name, ObjectId id, Address code, u64 offset, u64 bytes);

// The array in which two bytes are in different elements, by debug information. False if it is not known.
bool find_elements(ArrayElements& elements, ObjectId id, Address code, u64 offset, u64 other);

// What is known of the pointer at an offset of a static variable.
bool find_static_part(ObjectId id, u64 offset, dwarf::StaticPart* part);

// What the code is compiled from.
dwarf::Language language_of(Address code);

// The code belongs to a function that only passes a size on to an allocator. `depth`: as in dwarf/allocations.h.
bool is_allocator_code(Address code, u32 depth);
// Goes on to the next outer line of the program's own from which code was called that is inlined at `code`
// (dwarf/inlined_calls.h).
bool find_own_call(Address code, dwarf::InlinedCall* call);
// Appends the variable that is declared where the block is allocated, or that held its address (places/holders.h); false
// if there is none.
bool add_owner(rt::Text& text, ContextId allocated);

// Appends "stats (program.c:4)", or for a heap block the place of its allocation; nothing if it is not known.
// `offset` matters on stacks.
void add_origin(rt::Text& text, ObjectId id, Address code, u64 offset);

// f(sections) for the debug information in the file, then for that in the debug file of its build-id, until f returns
// true.
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
