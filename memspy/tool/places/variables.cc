// SPDX-License-Identifier: GPL-2.0-or-later
#include "places/variables.h"

#include "dwarf/allocations.h"
#include "dwarf/captured.h"
#include "dwarf/static_list.h"
#include "dwarf/statics.h"
#include "dwarf/variables.h"
#include "places/code.h"
#include "places/debug_sections.h"
#include "places/holders.h"
#include "places/stacks.h"
#include "places/statics.h"
#include "rt/global.h"
#include "rt/hash_map.h"

namespace memspy::places {
namespace {

constexpr u32 kMostFields = 4;

rt::Global<rt::HashMap<u8>> allocators;  // by code: see is_allocator_code; 0: not asked yet

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

// dwarf::add_variable says "variable `k`". Only what is between the quotes is appended.
bool find_on_stack(rt::Text& text, const Object& owner, u64 offset, u64 bytes,
                   dwarf::DeclaredVariable* declared) {
    if (owner.code == 0 || owner.name == nullptr) return false;
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

bool add_stack_variable(rt::Text& text, const Object& owner, u64 offset, u64 bytes) {
    dwarf::DeclaredVariable declared;
    if (!find_on_stack(text, owner, offset, bytes, &declared)) return false;
    add_bare_function(text.add(" of "), owner.name);
    return true;
}

// Types of a library cannot be changed, so they are told like built-in ones. (Headers of the C++ library have
// no extension.)
bool is_of_library(dwarf::ElementPart& element) {
    return (!element.file.empty() && VG_(strchr)(element.file.c_str(), '.') == nullptr) ||
           is_system_folder(element.folder.c_str());
}

void add_type(rt::Text& text, dwarf::ElementPart& element) {
    if (is_of_library(element)) {
        const HChar* const space = VG_(strchr)(element.type.c_str(), ' ');  // "struct name"
        return void(text.add(space == nullptr ? element.type.c_str() : space + 1));
    }
    text.add(element.type.c_str());
    if (element.file.empty() || element.line == 0) return;
    text.add(" (").add(element.file.c_str()).add(':').add_plain(element.line).add(')');
}

// The variable that is declared in the line where the block is allocated.
bool find_declared(ContextId allocated, dwarf::ElementPart* part) {
    rt::Text described;
    const AllocatingCode code = allocating_code(allocated, &described);
    if (code.line == 0) return false;
    const vg::ModuleId id = vg::module_of_code(code.address);
    if (id == vg::ModuleId::None) return false;
    const vg::Module& module = vg::module(id);
    const u64 called = vg::module_of_code(code.called) == id ? code.called - module.bias : 0;
    return with_debug_sections(module, [&](const dwarf::Sections& sections) {
        return dwarf::find_declared_at(sections, code.address - module.bias, code.depth, code.line, called,
                                       part);
    });
}

// The same, unless it gets another block: compilers that tell no columns (clang) leave open which of several
// allocations in the line is its own. Then a static variable that holds the block, as something else, says
// more.
bool find_owner(ContextId allocated, dwarf::ElementPart* part) {
    if (!find_declared(allocated, part)) return false;
    dwarf::StaticPart holder;
    return part->placed || part->type.empty() || !find_holder(allocated, &holder) ||
           holder.target.type.empty() || VG_(strcmp)(part->type.c_str(), holder.target.type.c_str()) == 0;
}

// The type that the block's code asked an allocator of the C++ library for.
bool find_allocated_type(ContextId allocated, dwarf::ElementPart* part) {
    ExeContext* const context = context_of(allocated);
    if (context == nullptr) return false;
    constexpr u32 kMostFrames = 8;  // the library's functions between a container and its allocator
    const Frames frames = frames_of(context);
    for (u32 i = 0; i < frames.count && i < kMostFrames; ++i) {
        const vg::ModuleId id = vg::module_of_code(frames.addresses[i]);
        if (id == vg::ModuleId::None || is_library_code(frames.addresses[i])) continue;
        const vg::Module& module = vg::module(id);
        if (with_debug_sections(module, [&](const dwarf::Sections& sections) {
                return dwarf::find_allocated_type(sections, frames.addresses[i] - module.bias, part);
            }))
            return true;
    }
    return false;
}

// f(element) for the type that a block is an array of, by the variable that it is allocated for, that holds
// it, or by its allocator; false if it is not known.
template <typename F>
bool with_block_element(ContextId allocated, F f) {
    const auto is_known = [](const dwarf::ElementPart& element) {
        return element.bytes != 0 && !element.type.empty();
    };
    dwarf::ElementPart own, made;
    if (find_owner(allocated, &own) && is_known(own)) return f(own);
    dwarf::StaticPart holder;
    if (find_holder(allocated, &holder) && is_known(holder.target)) return f(holder.target);
    return find_allocated_type(allocated, &made) && is_known(made) && f(made);
}

}  // namespace

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

bool find_own_call(Address code, dwarf::InlinedCall* call) {
    const vg::ModuleId id = vg::module_of_code(code);
    if (id == vg::ModuleId::None) return false;
    const vg::Module& module = vg::module(id);
    return with_debug_sections(module, [&](const dwarf::Sections& sections) {
        return dwarf::find_own_call(sections, code - module.bias, is_system_folder, call);
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

bool add_owner(rt::Text& text, ContextId allocated) {
    dwarf::ElementPart part;
    if (!find_owner(allocated, &part)) return add_holder(text, allocated);
    text.add(part.array.c_str());
    return true;
}

bool name_element(ElementName& name, ObjectId id, Address code, u64 offset, u64 bytes) {
    const Object& owner = object(id);
    if (owner.kind == Object::StorageKind::Stack) {
        dwarf::DeclaredVariable declared;
        declared.element.bytes = bytes;
        rt::Text path;
        if (!find_on_stack(path, owner, offset, 1, &declared) || declared.element.array.empty()) return false;
        add_bare_function(name.array.add(declared.element.array.c_str()).add(" of "), owner.name);
        add_type(name.type, declared.element);
        return true;
    }
    if (owner.kind == Object::StorageKind::Heap) {
        dwarf::ElementPart part;
        if (find_owner(owner.allocated, &part))
            name.array.add(part.array.c_str());
        else
            add_holder(name.array, owner.allocated);
        with_block_element(owner.allocated, [&](dwarf::ElementPart& element) {
            if (element.bytes == bytes) add_type(name.type, element);
            return true;
        });
        return !name.array.empty() || !name.type.empty();
    }
    dwarf::StaticPart part;
    part.element.bytes = bytes;
    if (!find_part(owner, code, offset, 1, &part) || part.element.array.empty()) return false;
    name.array.add(part.element.array.c_str());
    add_type(name.type, part.element);
    return true;
}

dwarf::DeclaredDimensions shape_of(ObjectId id) {
    dwarf::StaticPart part;
    if (!find_part(object(id), 0, 0, 1, &part)) return {};
    return part.shape;
}

bool find_static_part(ObjectId id, u64 offset, dwarf::StaticPart* part) {
    return find_part(object(id), 0, offset, sizeof(Address), part);
}

bool find_elements(ArrayElements& elements, ObjectId id, Address code, u64 offset, u64 other) {
    const Object& owner = object(id);
    const auto take = [&](const dwarf::ElementPart& found, u64 inside) {
        elements = {found.bytes, offset - inside};
        return true;
    };
    if (owner.kind == Object::StorageKind::Heap)
        return with_block_element(owner.allocated, [&](const dwarf::ElementPart& found) {
            return offset / found.bytes != other / found.bytes && take(found, offset % found.bytes);
        });
    const i64 apart = static_cast<i64>(other - offset);
    if (owner.kind == Object::StorageKind::Stack) {
        dwarf::DeclaredVariable declared;
        declared.element.apart = apart;
        rt::Text path;
        return find_on_stack(path, owner, offset, 1, &declared) && declared.element.bytes != 0 &&
               take(declared.element, declared.element.inside);
    }
    dwarf::StaticPart part;
    part.element.apart = apart;
    return find_part(owner, code, offset, 1, &part) && part.element.bytes != 0 &&
           take(part.element, part.element.inside);
}

void describe_declaration(Declaration& declaration, const Object& object) {
    if (object.kind == Object::StorageKind::Stack && object.variable != nullptr) {
        add_bare_function(declaration.function, object.name);
        if (object.line == 0) return;
        with_debug_sections(vg::module(object.loaded_from), [&](const dwarf::Sections& sections) {
            dwarf::add_file_of(declaration.file, sections, object.unit, object.file);
            return !declaration.file.empty();
        });
        return;
    }
    if (object.kind != Object::StorageKind::Static || is_section(object)) return;
    const DeclaredStatic* const found = find_declared(object.loaded_from, object.module_offset);
    if (found == nullptr) return;
    if (found->function != nullptr) add_bare_function(declaration.function, found->function);
    if (found->block != nullptr) declaration.block.add(found->block);
    add_declared_file(declaration.file, object.loaded_from, *found);
}

void add_origin(rt::Text& text, ObjectId id, Address code, u64 offset) {
    const Object& owner = object(id);
    if (owner.kind == Object::StorageKind::Heap) return describe_allocation(text, owner.allocated);
    const auto add = [&](const char* name, const char* function, rt::Text& file, u64 line) {
        if (line == 0 || file.empty()) return;
        text.add(name);
        if (function != nullptr) add_bare_function(text.add(" of "), function);
        text.add(" (").add(file.c_str()).add(':').add_plain(line).add(')');
    };
    if (owner.kind == Object::StorageKind::Stack) {
        dwarf::DeclaredVariable declared;
        rt::Text path;
        if (!find_on_stack(path, owner, offset, 1, &declared)) return;
        usize end = 0;
        while (end < path.size() && path.c_str()[end] != '.' && path.c_str()[end] != '[' &&
               path.c_str()[end] != '(')
            ++end;
        path.cut(end);
        return add(path.c_str(), owner.name, declared.file, declared.line);
    }
    dwarf::StaticPart part;
    if (find_part(owner, code, 0, 1, &part)) add(owner.name, nullptr, part.file, part.line);
}

}  // namespace memspy::places
