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
#include "rt/system_paths.h"

namespace memspy::places {
namespace {

// Types of a library cannot be changed, so they are told like built-in ones. (Headers of the C++ library have
// no extension.)
bool is_of_library(dwarf::ElementPart& element) {
    return (!element.file.empty() && VG_(strchr)(element.file.c_str(), '.') == nullptr) ||
           rt::is_system_path(element.folder.c_str());
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
// allocations in the line is its own. Then a variable that holds the block, as something else, says more.
bool find_owner(ContextId allocated, dwarf::ElementPart* part) {
    if (!find_declared(allocated, part)) return false;
    DeclaredHolder holder;
    return part->placed || part->type.empty() || !find_holder(allocated, &holder) ||
           holder.target().type.empty() || VG_(strcmp)(part->type.c_str(), holder.target().type.c_str()) == 0;
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
    DeclaredHolder holder;
    if (find_holder(allocated, &holder) && is_known(holder.target())) return f(holder.target());
    return find_allocated_type(allocated, &made) && is_known(made) && f(made);
}

// By object: of an element of the block, or without lengths.
rt::Global<rt::HashMap<dwarf::DeclaredDimensions>> element_shapes;

const dwarf::DeclaredDimensions& element_shape(ObjectId id) {
    if (const auto* known = element_shapes->find(static_cast<u64>(id))) return *known;
    dwarf::DeclaredDimensions& shape = (*element_shapes)[static_cast<u64>(id)];
    const ContextId allocated = object(id).allocated;
    dwarf::ElementPart own;
    DeclaredHolder holder;
    if (find_owner(allocated, &own))
        shape = own.shape;
    else if (find_holder(allocated, &holder))
        shape = holder.target().shape;
    return shape;
}

// The lengths of an array whose descriptor gfortran has made.
bool read_descriptor(Address descriptor, Address block, dwarf::DeclaredDimensions& shape) {
    struct Dimension {
        i64 stride, lower, upper;
    };
    constexpr u64 kHead = 40;  // address, offset, type, span
    const u64 bytes = kHead + shape.count * sizeof(Dimension);
    if (descriptor == 0 || !VG_(am_is_valid_for_client)(descriptor, bytes, VKI_PROT_READ)) return false;
    if (*reinterpret_cast<const Address*>(descriptor) != block) return false;
    const auto* const dimensions = reinterpret_cast<const Dimension*>(descriptor + kHead);
    for (u32 i = 0; i < shape.count; ++i)
        shape.lengths[i] = static_cast<u64>(dimensions[i].upper - dimensions[i].lower + 1);
    return true;
}

u64 bytes_of(const dwarf::DeclaredDimensions& shape) {
    u64 all = shape.element;
    for (u32 i = 0; i < shape.count; ++i) all *= shape.lengths[i];
    return all;
}

}  // namespace

dwarf::DeclaredDimensions shape_of_block(ObjectId id, Address block, u64 bytes) {
    dwarf::DeclaredDimensions shape = element_shape(id);
    if (shape.count == 0) return shape;
    if (shape.lengths[0] == 0) {
        const bool is_read = read_descriptor(address_of_holder(object(id).allocated), block, shape);
        return is_read && bytes_of(shape) == bytes ? shape : dwarf::DeclaredDimensions{};
    }
    const u64 element = bytes_of(shape);
    if (shape.count == dwarf::DeclaredDimensions::kMost || element == 0 || bytes % element != 0) return {};
    for (u32 i = shape.count++; i > 0; --i) shape.lengths[i] = shape.lengths[i - 1];
    shape.lengths[0] = bytes / element;
    return shape;
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
    if (object.symbol == nullptr) return;
    const DeclaredStatic* const found =
        object.kind == Object::StorageKind::Static
            ? find_declared(object.loaded_from, object.module_offset)
            : find_declared_of_thread(object.loaded_from, object.module_offset);
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
        if (!find_on_stack(path, owner, offset, 1, &declared)) {
            if (owner.variable == nullptr) return;
            Declaration declaration;
            describe_declaration(declaration, owner);
            return add(owner.variable, owner.name, declaration.file, owner.line);
        }
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

void describe_blocks(rt::Text& text, ContextId allocated, bool several) {
    text.add(several ? "heap blocks " : "heap block ");
    if (add_owner(text, allocated)) text.add(' ');
    const usize before = text.add("of ").size();
    describe_allocation(text, allocated);
    if (text.size() == before) text.add("unknown code");
}

void describe_object(rt::Text& text, const Object& object) {
    if (object.kind != Object::StorageKind::Heap) return add_object_name(text, object);
    describe_blocks(text, object.allocated, object.blocks > 1);
}

}  // namespace memspy::places
