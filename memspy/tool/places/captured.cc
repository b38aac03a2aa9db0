// SPDX-License-Identifier: GPL-2.0-or-later
#include "places/captured.h"

#include "dwarf/captured.h"
#include "places/debug_sections.h"
#include "places/fields.h"
#include "rt/global.h"
#include "rt/vector.h"

namespace memspy::places {
namespace {

struct Construct {
    u32 thread;
    Address stack_pointer, body, data;
};
rt::Global<rt::Vector<Construct>> constructs;

struct CapturedSearch {
    u64 offset;
    vg::ModuleId module;
    Address data;
    StackVariable* found;
};

void look_at(const dwarf::ListedVariable& told, void* argument) {
    const CapturedSearch& search = *static_cast<CapturedSearch*>(argument);
    const u64 first = static_cast<u64>(told.from_end);
    if (search.offset - first >= told.bytes) return;
    search.found->begin = search.data + first;
    search.found->end = search.found->begin + told.bytes;
    rt::Text name;
    if (told.is_address) name.add("pointer to ");
    search.found->name = vg::intern(name.add(told.name).c_str());
    search.found->module = search.module;
    search.found->line = told.line;
    search.found->unit = told.unit;
    search.found->file = told.file;
}

struct PointerSearch {
    Address data, block;
    u64 offset;
    bool is_found;
};

bool read_word(Address from, Address* word) {
    if (from % sizeof(Address) != 0 || !VG_(am_is_valid_for_client)(from, sizeof(Address), VKI_PROT_READ))
        return false;
    *word = *reinterpret_cast<const Address*>(from);
    return true;
}

void look_behind(const dwarf::ListedVariable& told, void* argument) {
    PointerSearch& search = *static_cast<PointerSearch*>(argument);
    Address held = 0, behind = 0;
    if (search.is_found || told.bytes != sizeof(Address) ||
        !read_word(search.data + static_cast<u64>(told.from_end), &held))
        return;
    if (held != search.block && (!read_word(held, &behind) || behind != search.block)) return;
    search.offset = static_cast<u64>(told.from_end);
    search.is_found = true;
}

}  // namespace

bool add_captured_holder(rt::Text& text, Address body, Address data, Address block) {
    const vg::ModuleId id = vg::module_of_code(body);
    if (id == vg::ModuleId::None) return false;
    const vg::Module& module = vg::module(id);
    PointerSearch search{data, block, 0, false};
    with_debug_sections(module, [&](const dwarf::Sections& sections) {
        return dwarf::for_each_captured(sections, body - module.bias, look_behind, &search);
    });
    return search.is_found && add_captured(text, body, search.offset, sizeof(Address));
}

void note_construct(u32 thread, Address stack_pointer, Address body, Address data) {
    usize kept = 0;
    for (const Construct& each : *constructs)  // calls of the thread that are deeper have ended
        if (each.thread != thread || each.stack_pointer > stack_pointer) (*constructs)[kept++] = each;
    constructs->resize(kept);
    if (data != 0) constructs->push_back({thread, stack_pointer, body, data});
}

bool find_captured(Address a, StackVariable* found) {
    constexpr u64 kMost = 4096;  // bytes of a structure
    for (usize i = constructs->size(); i-- > 0;) {
        const Construct& each = (*constructs)[i];
        const vg::ModuleId id = vg::module_of_code(each.body);
        if (a - each.data >= kMost || id == vg::ModuleId::None) continue;
        const vg::Module& module = vg::module(id);
        StackVariable variable;
        CapturedSearch search{a - each.data, id, each.data, &variable};
        with_debug_sections(module, [&](const dwarf::Sections& sections) {
            return dwarf::for_each_captured(sections, each.body - module.bias, look_at, &search);
        });
        if (variable.name == nullptr) continue;
        *found = variable;
        return true;
    }
    return false;
}

}  // namespace memspy::places
