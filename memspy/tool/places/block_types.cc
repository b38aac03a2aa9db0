// SPDX-License-Identifier: GPL-2.0-or-later
#include "places/block_types.h"

#include <utility>

#include "dwarf/allocations.h"
#include "dwarf/statics.h"
#include "places/code.h"
#include "places/debug_sections.h"
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
constexpr u32 kMostFields = 4;
// Words of blocks that are looked at in a run, and blocks that count as so many.
constexpr u64 kMostWords = 16u << 20, kWordsOfBlock = 8;

// A block that holds the address of those of an allocation.
struct HoldingBlock {
    ContextId allocated{};
    usize size = 0;
    u64 offset = 0;        // of the pointer in it
    bool several = false;  // blocks of the allocation were found
};
rt::Global<rt::HashMap<HoldingBlock>> holding;  // by the allocation of what is held

// Pointers have no name of their type.
bool is_known(const BlockElement& element) { return element.part.bytes != 0 && element.part.type_at != 0; }

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

// Appends "server->stats" or "nodes[3].count"; with `any` "nodes[].count".
bool add_path(rt::Text& text, const HoldingBlock& block, u64 bytes, bool any, unsigned depth,
              dwarf::StaticPart* part, BlockElement* element) {
    if (!find_element(block.allocated, element, depth)) return false;
    const u64 size = element->part.bytes;
    if (block.size % size != 0 || !find_in_element(*element, block.offset, bytes, part) || part->padding)
        return false;
    const char* const path = part->path.c_str();
    // What a library's class has inside says nothing.
    if (VG_(strstr)(path, "._") != nullptr) return false;
    const usize before = text.size();
    const bool is_member = path[0] == '.';
    if (!add_name(text, block.allocated, depth)) {
        text.cut(before);
        if (!is_member || element->part.type.empty()) return false;
        text.add(path + 1).add(" of ").add(element->part.type.c_str());
    } else if (block.size != size || path[0] == '[') {
        text.add('[');
        if (!any) text.add_plain(block.offset / size);
        text.add(']').add(path);
    } else if (is_member) {
        text.add("->").add(path + 1);
    } else {
        return false;  // all of it
    }
    return true;
}

bool find_element(ContextId allocated, BlockElement* element, unsigned depth) {
    BlockElement own, made;
    if (find_owner(allocated, &own) && is_known(own)) {
        // A container's block has nodes around its elements.
        const bool has_nodes = own.part.container && find_allocated_type(allocated, &made) && is_known(made);
        *element = std::move(has_nodes ? made : own);
        return true;
    }
    DeclaredHolder holder;
    if (find_holder(allocated, &holder)) {
        element->part = std::move(holder.target());
        element->module = holder.module;
        if (is_known(*element)) return true;
    }
    const HoldingBlock* const block = holding->find(static_cast<u64>(allocated));
    if (block != nullptr && depth < kMostHolders) {
        dwarf::StaticPart part;
        BlockElement outer;
        if (find_element(block->allocated, &outer, depth + 1) &&
            find_in_element(outer, block->offset, sizeof(Address), &part)) {
            element->part = std::move(part.target);
            element->module = outer.module;
            if (is_known(*element)) return true;
        }
    }
    return find_allocated_type(allocated, element) && is_known(*element);
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
           add_path(text, *block, sizeof(Address), block->several, depth + 1, &part, &element);
}

struct HolderSearch {
    Address wanted;
    ContextId allocated;
    u64 words = 0;
    HoldingBlock found;
    bool is_found = false;
};

void look_into(heap::Block& block, void* argument) {
    static u64 words;
    HolderSearch& search = *static_cast<HolderSearch*>(argument);
    // Nodes of a list hold each other.
    if (search.is_found || words > kMostWords || block.allocated == search.allocated) return;
    words += kWordsOfBlock + block.size / sizeof(Address);
    const Address begin = (block.payload + sizeof(Address) - 1) & ~(sizeof(Address) - 1);
    const Address end = block.payload + block.size;
    for (Address word = begin; word + sizeof(Address) <= end; word += sizeof(Address)) {
        if (*reinterpret_cast<const Address*>(word) != search.wanted) continue;
        const HoldingBlock holder{block.allocated, block.size, word - block.payload};
        rt::Text name;
        dwarf::StaticPart part;
        BlockElement element;
        if (!add_path(name, holder, sizeof(Address), false, 1, &part, &element) || part.target.bytes == 0)
            continue;
        search.found = holder;
        search.is_found = true;
        return;
    }
}

}  // namespace

void look_for_owner(ObjectId id, Address payload) {
    const Object& block = object(id);
    BlockElement own;
    if (!look_for_holder(id, payload) || find_owner(block.allocated, &own)) return;
    if (HoldingBlock* const known = holding->find(static_cast<u64>(block.allocated))) {
        known->several = true;
        return;
    }
    HolderSearch search{.wanted = payload, .allocated = block.allocated, .found = {}};
    heap::for_each_live(look_into, &search);
    if (search.is_found) (*holding)[static_cast<u64>(block.allocated)] = search.found;
}

// The variable that is declared in the line where the block is allocated, unless it gets another block: compilers that
// tell no columns (clang) leave open which of several allocations in the line is its own. Then a variable that holds the
// block, as something else, says more.
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

bool add_block_fields(rt::Text& text, const Object& block, u64 offset, u64 bytes) {
    if (block.kind != Object::StorageKind::Heap || block.of_many_sizes) return false;
    rt::Text list;
    const u64 end = offset + bytes;
    for (u64 at = offset, listed = 0; at < end; ++listed) {
        dwarf::StaticPart part;
        BlockElement element;
        rt::Text path;
        // The first byte shows where the field ends.
        if (listed == kMostFields ||
            !add_path(path, {block.allocated, block.size, at}, 1, false, 0, &part, &element))
            return false;
        const u64 next = at - at % element.part.bytes + part.end;
        if (next <= at) return false;
        list.add(listed == 0 ? "" : next >= end ? " and " : ", ").add(path.c_str());
        at = next;
    }
    text.add(list.c_str());
    return true;
}

}  // namespace memspy::places
