// SPDX-License-Identifier: GPL-2.0-or-later
#include "places/block_types.h"

#include <utility>

#include "dwarf/allocations.h"
#include "dwarf/statics.h"
#include "places/code.h"
#include "places/debug_sections.h"
#include "places/fields.h"
#include "places/frames.h"
#include "places/holders.h"
#include "places/objects.h"
#include "places/stacks.h"
#include "rt/global.h"
#include "rt/hash_map.h"
#include "vg/vg.h"

namespace memspy::places {
namespace {

constexpr unsigned kMostHolders = 4;  // blocks that hold each other, on the way to a variable
// Words of blocks that are looked at in a run, and blocks that count as so many.
constexpr u64 kMostWords = 16u << 20, kWordsOfBlock = 8;

// A block that holds the address of those of an allocation.
struct HoldingBlock {
    ContextId allocated{};
    usize size = 0;
    u64 offset = 0;        // of the pointer in it
    ObjectId held{};       // the first block that it held
    bool several = false;  // it held more than that
};
rt::Global<rt::HashMap<HoldingBlock>> holding;  // by key_of_blocks() of what is held
u64 looked_at = 0;                              // words

bool is_known(const BlockElement& element, bool by_name) {
    return element.part.bytes != 0 && (by_name ? !element.part.type.empty() : element.part.type_at != 0);
}

bool find_declared(ContextId allocated, BlockElement* owner) {
    rt::Text described;
    const AllocatingCode code = allocating_code(allocated, &described);
    if (code.line == 0) return false;
    owner->module = vg::module_of_code(code.address);
    if (owner->module == vg::ModuleId::None) return false;
    const vg::Module& module = vg::module(owner->module);
    const u64 called = vg::module_of_code(code.called) == owner->module ? code.called - module.bias : 0;
    return with_debug_sections(module, [&](const dwarf::Sections& sections) {
        return dwarf::find_declared_at(sections, code.address - module.bias, code.depth, code.line, called,
                                       &owner->part);
    });
}

// The type that the block's code asked an allocator of the C++ library for.
bool find_allocated_type(ContextId allocated, BlockElement* element) {
    ExeContext* const context = context_of(allocated);
    if (context == nullptr) return false;
    constexpr u32 kMostFrames = 8;  // the library's functions between a container and its allocator
    const Frames frames = frames_of(context);
    for (u32 i = 0; i < frames.count && i < kMostFrames; ++i) {
        element->module = vg::module_of_code(frames.addresses[i]);
        if (element->module == vg::ModuleId::None || is_library_code(frames.addresses[i])) continue;
        const vg::Module& module = vg::module(element->module);
        if (with_debug_sections(module, [&](const dwarf::Sections& sections) {
                return dwarf::find_allocated_type(sections, frames.addresses[i] - module.bias,
                                                  &element->part);
            }))
            return true;
    }
    return false;
}

bool find_element(ContextId allocated, BlockElement* element, unsigned depth);
bool add_name(rt::Text& text, ContextId allocated, unsigned depth);

// The part of a block at an offset, in its element.
bool find_in_element(const BlockElement& element, u64 offset, u64 bytes, dwarf::StaticPart* part) {
    return with_debug_sections(vg::module(element.module), [&](const dwarf::Sections& sections) {
        return dwarf::find_in_type(sections, element.part, offset % element.part.bytes, bytes, part);
    });
}

// Allocators that align want a multiple of the alignment: what is more than elements is less than that.
bool has_elements(const HoldingBlock& block, u64 size) {
    const u64 more = block.size % size, most_alignment = block.size & (~block.size + 1);
    return more == 0 ||
           (block.size > size && more < most_alignment && is_aligned_allocation(block.allocated));
}

enum class PathOf : u8 {
    Field,    // "nodes[3].count", "*total"; nothing inside a library's class
    Holder,   // the same, or the variable of that class
    Holders,  // "nodes[].next"
};
bool add_path(rt::Text& text, const HoldingBlock& block, u64 bytes, PathOf what, unsigned depth,
              dwarf::StaticPart* part, BlockElement* element) {
    if (!find_element(block.allocated, element, depth)) return false;
    const u64 size = element->part.bytes;
    if (!has_elements(block, size) || !find_in_element(*element, block.offset, bytes, part) || part->padding)
        return false;
    // What a library's class has inside says nothing.
    if (const HChar* const inside = VG_(strstr)(part->path.c_str(), "._")) {
        if (what == PathOf::Field) return false;
        part->path.cut(static_cast<usize>(inside - part->path.c_str()));
    }
    const char* const path = part->path.c_str();
    const usize before = text.size();
    const bool is_member = path[0] == '.';
    if (!add_name(text, block.allocated, depth)) {
        text.cut(before);
        if (!is_member || element->part.type.empty()) return false;
        text.add(path + 1).add(" of ").add(element->part.type.c_str());
    } else if (block.size / size != 1 || path[0] == '[') {
        text.add('[');
        if (what != PathOf::Holders) text.add_plain(block.offset / size);
        text.add(']').add(path);
    } else if (is_member) {
        text.add("->").add(path + 1);
    } else if (what == PathOf::Field) {
        text.cut(before);
        text.add('*');
        add_name(text, block.allocated, depth);
    }
    return true;
}

bool find_element_by(bool by_name, ContextId allocated, BlockElement* element, unsigned depth) {
    BlockElement own, made;
    if (find_owner(allocated, &own) && is_known(own, by_name)) {
        // A container's block has nodes around its elements.
        const bool has_nodes =
            own.part.container && find_allocated_type(allocated, &made) && is_known(made, by_name);
        *element = std::move(has_nodes ? made : own);
        return true;
    }
    DeclaredHolder holder;
    if (find_holder(allocated, &holder)) {
        element->part = std::move(holder.target());
        element->module = holder.module;
        if (is_known(*element, by_name)) return true;
    }
    const HoldingBlock* const block = holding->find(static_cast<u64>(allocated));
    if (block != nullptr && depth < kMostHolders) {
        dwarf::StaticPart part;
        BlockElement outer;
        if (find_element(block->allocated, &outer, depth + 1) &&
            find_in_element(outer, block->offset, sizeof(Address), &part)) {
            element->part = std::move(part.target);
            element->module = outer.module;
            if (is_known(*element, by_name)) return true;
        }
    }
    *element = {};
    return find_allocated_type(allocated, element) && is_known(*element, by_name);
}

// Pointers have no name of their type, and may be what something else is seen as.
bool find_element(ContextId allocated, BlockElement* element, unsigned depth) {
    return find_element_by(true, allocated, element, depth) ||
           find_element_by(false, allocated, element, depth);
}

bool add_name(rt::Text& text, ContextId allocated, unsigned depth) {
    BlockElement own;
    if (find_owner(allocated, &own)) {
        text.add(own.part.array.c_str());
        return true;
    }
    if (add_holder(text, allocated)) return true;
    const HoldingBlock* const block = holding->find(static_cast<u64>(allocated));
    dwarf::StaticPart part;
    BlockElement element;
    return block != nullptr && depth < kMostHolders &&
           add_path(text, *block, sizeof(Address),
                    block->several || object(block->held).blocks > 1 ? PathOf::Holders : PathOf::Holder,
                    depth + 1, &part, &element);
}

struct HolderSearch {
    Address wanted;
    ContextId allocated;
    bool single;
    u64 words = 0;
    HoldingBlock found;
    bool is_found = false;
};

void look_into(heap::Block& block, void* argument) {
    HolderSearch& search = *static_cast<HolderSearch*>(argument);
    // Nodes of a list hold each other.
    if (search.is_found || looked_at > kMostWords || block.allocated == search.allocated) return;
    looked_at += kWordsOfBlock + block.size / sizeof(Address);
    const Address begin = (block.payload + sizeof(Address) - 1) & ~(sizeof(Address) - 1);
    const Address end = block.payload + block.size;
    for (Address word = begin; word + sizeof(Address) <= end; word += sizeof(Address)) {
        if (*reinterpret_cast<const Address*>(word) != search.wanted) continue;
        const HoldingBlock holder{block.allocated, block.size, word - block.payload};
        rt::Text name;
        dwarf::StaticPart part;
        BlockElement element;
        if (!add_path(name, holder, sizeof(Address), PathOf::Holder, 1, &part, &element) ||
            part.target.bytes == 0 || (search.single && !is_element(name)))
            continue;
        search.found = holder;
        search.is_found = true;
        return;
    }
}

}  // namespace

void look_for_owner(ObjectId id, Address payload) {
    const Object& block = object(id);
    const bool single = block.number != 0;
    BlockElement own;
    if (!look_for_holder(id, payload) || (!single && find_owner(block.allocated, &own))) return;
    if (HoldingBlock* const known = holding->find(static_cast<u64>(block.allocated)))
        known->several |= block.number > 1;
    if (looked_at > kMostWords) return;
    HolderSearch search{.wanted = payload, .allocated = block.allocated, .single = single, .found = {}};
    heap::for_each_live(look_into, &search);
    if (!search.is_found) return;
    search.found.held = id;
    (*holding)[key_of_blocks(block.allocated, block.number)] = search.found;
}

// The variable that is declared in the line where the block is allocated, unless it gets another block:
// compilers that tell no columns (clang) leave open which of several allocations in the line is its own. Then a
// variable that holds the block, as something else, says more.
bool find_owner(ContextId allocated, BlockElement* owner) {
    if (!find_declared(allocated, owner)) return false;
    dwarf::ElementPart& part = owner->part;
    DeclaredHolder holder;
    return part.placed || part.type.empty() || !find_holder(allocated, &holder) ||
           holder.target().type.empty() || VG_(strcmp)(part.type.c_str(), holder.target().type.c_str()) == 0;
}

bool find_block_element(ContextId allocated, BlockElement* element) {
    return find_element(allocated, element, 0) && !element->part.type.empty();
}

bool add_owner(rt::Text& text, ContextId allocated) { return add_name(text, allocated, 0); }

bool add_element_of_block(rt::Text& text, const Object& block) {
    if (add_holder_of_block(text, block)) return true;
    const HoldingBlock* const holder = holding->find(key_of_blocks(block.allocated, block.number));
    dwarf::StaticPart part;
    BlockElement element;
    return holder != nullptr && add_path(text, *holder, sizeof(Address), PathOf::Holder, 1, &part, &element);
}

bool add_block_fields(rt::Text& text, const Object& block, u64 offset, u64 bytes) {
    if (block.kind != Object::StorageKind::Heap || block.of_many_sizes) return false;
    return add_list_of_fields(text, offset, offset + bytes, [&](rt::Text& path, u64 at) {
        dwarf::StaticPart part;
        BlockElement element;
        // The first byte shows where the field ends.
        if (!add_path(path, {block.allocated, block.size, at}, 1, PathOf::Field, 0, &part, &element))
            return at;
        return at - at % element.part.bytes + part.end;
    });
}

}  // namespace memspy::places
