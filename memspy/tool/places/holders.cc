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
constexpr usize kMostBytes = 4u << 20;  // of a section

struct StaticHolder {
    ObjectId block{}, variable{};
    u64 offset = 0;  // of the pointer in the variable
};
rt::Global<rt::HashMap<StaticHolder>> holders;  // by key_of()
rt::Global<rt::HashMap<u8>> searched;           // objects

// Of the blocks of an allocation, or of one of them.
u64 key_of(ContextId allocated, u32 number) { return static_cast<u64>(allocated) | u64{number} << 48; }

// Fortran's descriptors of arrays: debug information says of what lies there that it is the array.
bool is_descriptor(rt::Text& name) { return name.empty() || name.c_str()[name.size() - 1] == ')'; }

bool is_writable_data(const vg::ModuleSection& section) {
    constexpr const char* kNames[] = {".data", ".bss", ".ldata", ".lbss"};
    return rt::starts_with_one_of(section.name, kNames);
}

bool search(const vg::ModuleSection& section, Address block, StaticHolder& holder) {
    const usize bytes = std::min(section.size, kMostBytes);
    const Address begin = (section.begin + sizeof(Address) - 1) & ~(sizeof(Address) - 1);
    const Address end = (section.begin + bytes) & ~(sizeof(Address) - 1);
    if (begin >= end || !VG_(am_is_valid_for_client)(begin, end - begin, VKI_PROT_READ)) return false;
    for (Address word = begin; word < end; word += sizeof(Address)) {
        if (*reinterpret_cast<const Address*>(word) != block) continue;
        const Extent extent = find_whole(word);
        if (object(extent.object).kind != Object::StorageKind::Static || !is_variable(object(extent.object)))
            continue;
        holder.variable = extent.object;
        holder.offset = word - extent.start;
        return true;
    }
    return false;
}

}  // namespace

void look_for_holder(ObjectId id, Address block) {
    if (object(id).kind != Object::StorageKind::Heap || searched->size() >= kMostSearches) return;
    u8& done = (*searched)[static_cast<u64>(id)];
    if (done != 0) return;
    done = 1;
    for (u32 number = 1; number <= vg::module_count(); ++number) {
        const vg::Module& module = vg::module(static_cast<vg::ModuleId>(number));
        if (module.sections == nullptr || module.path == nullptr || rt::is_system_path(module.path)) continue;
        StaticHolder holder{.block = id};
        for (const vg::ModuleSection& section : *module.sections) {
            if (!is_writable_data(section) || !search(section, block, holder)) continue;
            (*holders)[key_of(object(id).allocated, object(id).number)] = holder;
            return;
        }
    }
}

bool find_holder(ContextId allocated, dwarf::StaticPart* holder) {
    const StaticHolder* const found = holders->find(static_cast<u64>(allocated));
    return found != nullptr && find_static_part(found->variable, found->offset, holder);
}

bool add_holder_of_block(rt::Text& text, const Object& block) {
    const StaticHolder* const holder = holders->find(key_of(block.allocated, block.number));
    rt::Text name;
    if (holder == nullptr || !add_fields(name, holder->variable, 0, holder->offset, sizeof(Address)) ||
        is_descriptor(name))
        return false;
    text.add(name.c_str());
    return true;
}

bool add_holder(rt::Text& text, ContextId allocated) {
    const StaticHolder* const holder = holders->find(static_cast<u64>(allocated));
    if (holder == nullptr) return false;
    rt::Text name;
    add_fields(name, holder->variable, 0, holder->offset, sizeof(Address));
    if (is_descriptor(name)) {
        if (holder->offset != 0) return false;
        name.reset();
        name.add(object(holder->variable).name);
    }
    // What a library's class has inside says nothing.
    if (const HChar* const inside = VG_(strstr)(name.c_str(), "._"))
        name.cut(static_cast<usize>(inside - name.c_str()));
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
