// SPDX-License-Identifier: GPL-2.0-or-later
#include "places/fields.h"

#include "dwarf/captured.h"
#include "dwarf/static_list.h"
#include "places/code.h"
#include "places/debug_sections.h"
#include "places/grown_parts.h"
#include "places/names.h"

namespace memspy::places {
namespace {

bool add_static_fields(rt::Text& text, const Object& owner, Address code, u64 offset, u64 bytes) {
    const u64 first = owner.module_offset + offset;
    return add_list_of_fields(text, first, first + bytes, [&](rt::Text& path, u64 at) {
        dwarf::StaticPart part;
        // The first byte shows where the field ends.
        if (!find_part(owner, code, at - owner.module_offset, 1, &part) || part.padding) return at;
        path.add(part.path.c_str());
        return part.end;
    });
}

bool add_stack_variable(rt::Text& text, const Object& owner, u64 offset, u64 bytes) {
    dwarf::DeclaredVariable declared;
    if (!find_on_stack(text, owner, offset, bytes, &declared)) {
        if (owner.variable == nullptr) return false;
        text.add(owner.variable);  // the copy that a construct shares (captured.h)
    }
    add_bare_function(text.add(" of "), owner.name);
    return true;
}

// Of what a frame took as it went: an array of elements.
bool add_grown(rt::Text& text, const Object& owner, dwarf::ElementPart& made_of, u64 offset, u64 bytes,
               dwarf::DeclaredVariable* declared) {
    const u64 size = made_of.bytes, inside = offset % size;
    const char* const name = owner.variable + (owner.variable[0] == '*');
    text.add(name).add('[').add_plain(offset / size).add(']');
    dwarf::StaticPart part;
    if (with_debug_sections(vg::module(owner.loaded_from), [&](const dwarf::Sections& sections) {
            return dwarf::find_in_type(sections, made_of, inside, bytes, &part);
        }))
        text.add(part.path.c_str());
    if (declared == nullptr) return true;
    declared->line = owner.line;
    with_debug_sections(vg::module(owner.loaded_from), [&](const dwarf::Sections& sections) {
        dwarf::add_file_of(declared->file, sections, owner.unit, owner.file);
        return true;
    });
    dwarf::ElementPart& wanted = declared->element;
    const u64 other = offset + static_cast<u64>(wanted.apart);
    if (wanted.bytes != 0 ? wanted.bytes != size : other / size == offset / size) return true;
    wanted.bytes = size;
    wanted.inside = inside;
    wanted.array.add(name);
    wanted.type.add(made_of.type.c_str());
    wanted.file.add(made_of.file.c_str());
    wanted.folder.add(made_of.folder.c_str());
    wanted.line = made_of.line;
    return true;
}

}  // namespace

bool find_part(const Object& owner, Address code, u64 offset, u64 bytes, dwarf::StaticPart* part) {
    if (owner.kind != Object::StorageKind::Static || is_section(owner)) return false;
    const vg::Module& module = vg::module(owner.loaded_from);
    const u64 pc = code == 0 || vg::module_of_code(code) != owner.loaded_from ? 0 : code - module.bias;
    return with_debug_sections(module, [&](const dwarf::Sections& sections) {
        return dwarf::find_static(sections, pc, owner.module_offset + offset, bytes, part);
    });
}

// dwarf::add_variable says "variable `k`". Only what is between the quotes is appended.
bool find_on_stack(rt::Text& text, const Object& owner, u64 offset, u64 bytes,
                   dwarf::DeclaredVariable* declared) {
    if (owner.code == 0 || owner.name == nullptr) return false;
    if (dwarf::ElementPart* const grown = find_grown_element(owner))
        return add_grown(text, owner, *grown, offset, bytes, declared);
    const vg::ModuleId id = vg::module_of_code(owner.code);
    if (id == vg::ModuleId::None) return false;
    const vg::Module& module = vg::module(id);
    dwarf::FrameByte byte;
    byte.pc = owner.code - module.bias;
    byte.from_stack_pointer = static_cast<i64>(owner.start + offset - owner.frame_begin);
    byte.from_end = static_cast<i64>(owner.start + offset - owner.frame_end);
    byte.from_frame_pointer = dwarf::FrameByte::kUnknownFramePointer;
    byte.end = owner.frame_end % dwarf::FrameByte::kPage;
    byte.bytes = bytes;
    rt::Text said;
    if (!with_debug_sections(module, [&](const dwarf::Sections& sections) {
            return dwarf::add_variable(said, sections, byte, declared);
        }))
        return false;
    constexpr char kBefore[] = "variable `";
    const char* name = said.c_str();
    for (const char* expected = kBefore; *expected != '\0'; ++expected, ++name)
        if (*name != *expected) return false;
    for (; *name != '`' && *name != '\0'; ++name) text.add(*name);
    return true;
}

bool add_fields(rt::Text& text, ObjectId id, Address code, u64 offset, u64 bytes) {
    const Object& owner = object(id);
    return owner.kind == Object::StorageKind::Stack ? add_stack_variable(text, owner, offset, bytes)
                                                    : add_static_fields(text, owner, code, offset, bytes);
}

bool add_captured(rt::Text& text, Address body, u64 offset, u64 bytes) {
    const vg::ModuleId id = vg::module_of_code(body);
    if (id == vg::ModuleId::None) return false;
    const vg::Module& module = vg::module(id);
    const bool found = with_debug_sections(module, [&](const dwarf::Sections& sections) {
        return dwarf::add_captured(text, sections, body - module.bias, offset, bytes);
    });
    if (!found) return false;
    // "main._omp_fn.0"
    const char* const name = named_function_at(body);
    const HChar* const end = name == nullptr ? nullptr : VG_(strstr)(name, "._omp_fn");
    if (end == nullptr) return true;
    text.add(" of ");
    for (const char* c = name; c != end; ++c) text.add(*c);
    return true;
}

dwarf::DeclaredDimensions shape_of(ObjectId id) {
    dwarf::StaticPart part;
    if (!find_part(object(id), 0, 0, 1, &part)) return {};
    return part.shape;
}

bool find_static_part(ObjectId id, u64 offset, u64 bytes, dwarf::StaticPart* part) {
    return find_part(object(id), 0, offset, bytes, part);
}

}  // namespace memspy::places
