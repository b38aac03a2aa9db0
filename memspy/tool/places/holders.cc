// SPDX-License-Identifier: GPL-2.0-or-later
#include "places/holders.h"

#include <algorithm>

#include "places/fields.h"
#include "places/frames.h"
#include "places/objects.h"
#include "rt/global.h"
#include "rt/hash_map.h"
#include "rt/prefix.h"
#include "rt/system_paths.h"
#include "vg/modules.h"
#include "vg/vg.h"

namespace memspy::places {
namespace {

constexpr u32 kMostSearches = 256;
constexpr usize kMostBytes = 4u << 20;      // of a section
constexpr usize kMostOfStack = 256u << 10;  // from its outermost frame on

struct BlockHolder {
    ObjectId block{}, variable{};
    u64 offset = 0;  // of the pointer in the variable
};
rt::Global<rt::HashMap<BlockHolder>> holders;  // by key_of_blocks()
rt::Global<rt::HashMap<u8>> searched;          // objects

// "grid", "pool.hits._M_impl._M_start"; of a variable on a stack without its function.
bool add_variable(rt::Text& name, const BlockHolder& holder) {
    const Object& variable = object(holder.variable);
    dwarf::DeclaredVariable declared;
    if (variable.kind == Object::StorageKind::Stack)
        return find_on_stack(name, variable, holder.offset, sizeof(Address), &declared);
    const bool found = add_fields(name, holder.variable, 0, holder.offset, sizeof(Address));
    const bool has_parts = VG_(strpbrk)(name.c_str(), ".[(") != nullptr;
    if (holder.offset != 0 || has_parts) return found;
    name.reset();
    name.add(variable.name);  // with its module
    return true;
}

bool is_writable_data(const vg::ModuleSection& section) {
    constexpr const char* kNames[] = {".data", ".bss", ".ldata", ".lbss"};
    return rt::starts_with_one_of(section.name, kNames);
}

bool add_name(rt::Text& text, const BlockHolder& holder) {
    rt::Text name;
    if (!add_variable(name, holder)) return false;
    // What a library's class has inside says nothing.
    if (const HChar* const inside = VG_(strstr)(name.c_str(), "._"))
        name.cut(static_cast<usize>(inside - name.c_str()));
    text.add(name.c_str());
    return true;
}

bool declare(const BlockHolder& found, DeclaredHolder* holder) {
    const Object& variable = object(found.variable);
    rt::Text name;
    holder->on_stack = variable.kind == Object::StorageKind::Stack;
    holder->module = holder->on_stack ? vg::module_of_code(variable.code) : variable.loaded_from;
    return holder->on_stack
               ? find_on_stack(name, variable, found.offset, sizeof(Address), &holder->of_frame)
               : find_static_part(found.variable, found.offset, sizeof(Address), &holder->of_module);
}

// A single block is named by pointers only: what was left in other memory may look like its address.
bool may_name(const BlockHolder& holder) {
    if (object(holder.block).number == 0) return true;
    rt::Text name;
    DeclaredHolder declared;
    return add_name(name, holder) && is_element(name) && declare(holder, &declared) &&
           declared.target().bytes != 0;
}

bool search(const vg::ModuleSection& section, Address block, BlockHolder& holder) {
    const usize bytes = std::min(section.size, kMostBytes);
    const Address begin = (section.begin + sizeof(Address) - 1) & ~(sizeof(Address) - 1);
    const Address end = (section.begin + bytes) & ~(sizeof(Address) - 1);
    if (begin >= end || !VG_(am_is_valid_for_client)(begin, end - begin, VKI_PROT_READ)) return false;
    for (Address word = begin; word < end; word += sizeof(Address)) {
        if (*reinterpret_cast<const Address*>(word) != block) continue;
        const Extent extent = find_whole(word);
        if (object(extent.object).kind != Object::StorageKind::Static || !is_variable(object(extent.object)))
            continue;
        const BlockHolder found{holder.block, extent.object, word - extent.start};
        if (!may_name(found)) continue;
        holder = found;
        return true;
    }
    return false;
}

// The outermost frames know a block by the names that its owner gives it.
bool search(const ThreadStack& stack, Address block, BlockHolder& holder) {
    if (!is_alive(stack)) return false;
    const Address high = stack.high & ~(sizeof(Address) - 1);
    const Address low = std::max(VG_(get_SP)(stack.guest_id), high - kMostOfStack);
    if (low >= high || !VG_(am_is_valid_for_client)(low, high - low, VKI_PROT_READ)) return false;
    for (Address word = high - sizeof(Address); word >= low; word -= sizeof(Address)) {
        if (*reinterpret_cast<const Address*>(word) != block) continue;
        const Extent extent = find_extent(word);
        const Object& variable = object(extent.object);
        if (variable.kind != Object::StorageKind::Stack || variable.variable == nullptr) continue;
        const BlockHolder found{holder.block, extent.object, word - extent.start};
        rt::Text name;
        // Libraries' inlined functions have variables there, too.
        if (!add_name(name, found) || name.c_str()[0] == '_' || VG_(strcmp)(name.c_str(), "this") == 0 ||
            !may_name(found))
            continue;
        holder = found;
        return true;
    }
    return false;
}

bool find(Address block, BlockHolder& holder) {
    for (u32 number = 1; number <= vg::module_count(); ++number) {
        const vg::Module& module = vg::module(static_cast<vg::ModuleId>(number));
        if (module.sections == nullptr || module.path == nullptr || rt::is_system_path(module.path)) continue;
        for (const vg::ModuleSection& section : *module.sections)
            if (is_writable_data(section) && search(section, block, holder)) return true;
    }
    return std::any_of(known_stacks().begin(), known_stacks().end(),
                       [&](const ThreadStack& stack) { return search(stack, block, holder); });
}

}  // namespace

u64 key_of_blocks(ContextId allocated, u32 number) { return static_cast<u64>(allocated) | u64{number} << 48; }

bool is_element(rt::Text& name) { return !name.empty() && name.c_str()[name.size() - 1] == ']'; }

bool look_for_holder(ObjectId id, Address block) {
    if (object(id).kind != Object::StorageKind::Heap || searched->size() >= kMostSearches) return false;
    u8& done = (*searched)[static_cast<u64>(id)];
    if (done != 0) return false;
    done = 1;
    BlockHolder holder{.block = id};
    if (!find(block, holder)) return true;
    (*holders)[key_of_blocks(object(id).allocated, object(id).number)] = holder;
    return false;
}

bool find_holder(ContextId allocated, DeclaredHolder* holder) {
    const BlockHolder* const found = holders->find(static_cast<u64>(allocated));
    return found != nullptr && declare(*found, holder);
}

Address address_of_holder(ContextId allocated) {
    const BlockHolder* const found = holders->find(static_cast<u64>(allocated));
    return found == nullptr ? 0 : object(found->variable).start + found->offset;
}

bool add_holder_of_block(rt::Text& text, const Object& block) {
    const BlockHolder* const holder = holders->find(key_of_blocks(block.allocated, block.number));
    return holder != nullptr && add_name(text, *holder);
}

bool add_holder(rt::Text& text, ContextId allocated) {
    const BlockHolder* const holder = holders->find(static_cast<u64>(allocated));
    rt::Text name;
    if (holder == nullptr || !add_name(name, *holder)) return false;
    if (object(holder->block).blocks > 1) {
        // A pointer to one of many blocks, such as the head of a list, does not name them; an array of
        // pointers does.
        const HChar* const index = VG_(strrchr)(name.c_str(), '[');
        if (index == nullptr || name.c_str()[name.size() - 1] != ']') return false;
        name.cut(static_cast<usize>(index - name.c_str()));
    }
    text.add(name.c_str());
    return true;
}

}  // namespace memspy::places
