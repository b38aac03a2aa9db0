// SPDX-License-Identifier: GPL-2.0-or-later
#include "places/variables.h"

#include "dwarf/statics.h"
#include "dwarf/variables.h"
#include "places/stacks.h"

namespace memspy::places {
namespace {

constexpr u32 kMostFields = 4;

bool find_part(const Object& owner, Address code, u64 offset, u64 bytes, dwarf::StaticPart* part) {
    if (owner.kind != Object::StorageKind::Static || is_section(owner)) return false;
    const vg::Module& module = vg::module(owner.loaded_from);
    const u64 pc = code == 0 || vg::module_of_code(code) != owner.loaded_from ? 0 : code - module.bias;
    return with_debug_sections(module, [&](const dwarf::Sections& sections) {
        return dwarf::find_static(sections, pc, owner.module_offset + offset, bytes, part);
    });
}

bool add_static_fields(rt::Text& text, const Object& owner, Address code, u64 offset, u64 bytes) {
    rt::Text list;
    const u64 end = owner.module_offset + offset + bytes;
    for (u64 at = owner.module_offset + offset, listed = 0; at < end; ++listed) {
        dwarf::StaticPart part;
        // The first byte shows where the field ends.
        if (listed == kMostFields || !find_part(owner, code, at - owner.module_offset, 1, &part) ||
            part.padding || part.end <= at)
            return false;
        list.add(listed == 0 ? "" : part.end >= end ? " and " : ", ").add(part.path.c_str());
        at = part.end;
    }
    text.add(list.c_str());
    return true;
}

// dwarf::add_variable says "variable `k`".
bool add_stack_variable(rt::Text& text, const Object& owner, u64 offset, u64 bytes) {
    if (owner.code == 0 || owner.name == nullptr) return false;
    const vg::ModuleId id = vg::module_of_code(owner.code);
    if (id == vg::ModuleId::None) return false;
    const vg::Module& module = vg::module(id);
    dwarf::FrameByte byte;
    byte.pc = owner.code - module.bias;
    byte.from_stack_pointer = static_cast<i64>(offset);
    byte.from_end = byte.from_stack_pointer - static_cast<i64>(owner.size);
    byte.from_frame_pointer = dwarf::FrameByte::kNoFramePointer;
    byte.end = (owner.start + owner.size) % dwarf::FrameByte::kPage;
    byte.bytes = bytes;
    rt::Text said;
    if (!with_debug_sections(module, [&](const dwarf::Sections& sections) {
            return dwarf::add_variable(said, sections, byte);
        }))
        return false;
    constexpr char kBefore[] = "variable `";
    const char* name = said.c_str();
    for (const char* expected = kBefore; *expected != '\0'; ++expected, ++name)
        if (*name != *expected) return false;
    for (; *name != '`' && *name != '\0'; ++name) text.add(*name);
    text.add(" of ").add(owner.name);
    return true;
}

}  // namespace

bool add_fields(rt::Text& text, ObjectId id, Address code, u64 offset, u64 bytes) {
    const Object& owner = object(id);
    return owner.kind == Object::StorageKind::Stack ? add_stack_variable(text, owner, offset, bytes)
                                                    : add_static_fields(text, owner, code, offset, bytes);
}

void add_origin(rt::Text& text, ObjectId id, Address code) {
    const Object& owner = object(id);
    if (owner.kind == Object::StorageKind::Heap) return describe_allocation(text, owner.allocated);
    dwarf::StaticPart part;
    if (!find_part(owner, code, 0, 1, &part) || part.line == 0 || part.file.size() == 0) return;
    text.add(owner.name).add(" (").add(part.file.c_str()).add(':').add_plain(part.line).add(')');
}

}  // namespace memspy::places
