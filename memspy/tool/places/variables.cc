// SPDX-License-Identifier: GPL-2.0-or-later
#include "places/variables.h"

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

// By object: of an element of the block, or without lengths.
rt::Global<rt::HashMap<dwarf::DeclaredDimensions>> element_shapes;

const dwarf::DeclaredDimensions& element_shape(ObjectId id) {
    if (const auto* known = element_shapes->find(static_cast<u64>(id))) return *known;
    dwarf::DeclaredDimensions& shape = (*element_shapes)[static_cast<u64>(id)];
    const ContextId allocated = object(id).allocated;
    BlockElement own;
    DeclaredHolder holder;
    if (find_owner(allocated, &own))
        shape = own.part.shape;
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

bool add_parts(rt::Text& text, ObjectId id, Address code, u64 offset, u64 bytes) {
    const Object& owner = object(id);
    return owner.kind == Object::StorageKind::Heap ? add_block_fields(text, owner, offset, bytes)
                                                   : add_fields(text, id, code, offset, bytes);
}

namespace {

// What lies at the offset of a block of such elements, in one of them.
bool find_in_block(const BlockElement& element, u64 offset, dwarf::StaticPart* part) {
    if (element.part.bytes == 0) return false;
    return with_debug_sections(vg::module(element.module), [&](const dwarf::Sections& sections) {
        return dwarf::find_in_type(sections, element.part, offset % element.part.bytes, 1, part);
    });
}

// An array that is a member of what a block has: "server->stats", "servers[].stats" for the block's name.
void name_array_in(ElementName& name, bool single, dwarf::ElementPart& element) {
    if (const HChar* const inside = VG_(strstr)(element.array.c_str(), "._M_"))
        element.array.cut(static_cast<usize>(inside - element.array.c_str()));
    const char* const array = element.array.c_str();
    if (!name.array.empty() && array[0] == '.') name.array.add(single ? "->" : "[].").add(array + 1);
    add_type(name.type, element);
}

}  // namespace

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
        name.array.reset();
        add_owner(name.array, owner.allocated);
        BlockElement element;
        dwarf::StaticPart part;
        part.element.bytes = bytes;
        if (find_block_element(owner.allocated, &element) && element.part.bytes == bytes)
            add_type(name.type, element.part);
        else if (find_in_block(element, offset, &part) && !part.element.array.empty())
            name_array_in(name, owner.size == element.part.bytes, part.element);
        return !name.type.empty();
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
    const i64 apart = static_cast<i64>(other - offset);
    if (owner.kind == Object::StorageKind::Heap) {
        BlockElement element;
        if (!find_block_element(owner.allocated, &element)) return false;
        const u64 size = element.part.bytes;
        if (offset / size != other / size) return take(element.part, offset % size);
        dwarf::StaticPart part;
        part.element.apart = apart;
        return find_in_block(element, offset, &part) && part.element.bytes != 0 &&
               take(part.element, part.element.inside);
    }
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
