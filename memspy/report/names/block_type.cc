// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/names/block_type.h"

#include <dwarf.h>

#include <algorithm>

namespace memspy::report::names {
namespace {

constexpr int kDeepest = 64;

// A block of bytes may hold objects of any type.
bool is_raw(Dwarf_Die bare) {
    if (dwarf_tag(&bare) != DW_TAG_base_type) return false;
    const auto encoding = number_of(bare, DW_AT_encoding);
    return number_of(bare, DW_AT_byte_size) == 1u && encoding &&
           (*encoding == DW_ATE_signed_char || *encoding == DW_ATE_unsigned_char);
}

// Whether an object of `whole` begins with one of `part`.
bool begins_with(Types& types, Dwarf_Die whole, const std::string& part, int depth) {
    whole = types.bare(whole);
    if (types.name(whole) == part) return true;
    if (depth > kDeepest) return false;
    if (Types::is_array(whole)) return begins_with(types, types.shape(whole).element, part, depth + 1);
    if (!Types::is_aggregate(whole)) return false;
    for (const Component& component : types.components(whole))
        if (component.offset == 0 && begins_with(types, component.type, part, depth + 1)) return true;
    return false;
}

// The last member is an array without a length: the block may continue behind the type.
bool is_open_ended(Types& types, Dwarf_Die bare) {
    if (!Types::is_aggregate(bare)) return false;
    const std::vector<Component> parts = types.components(bare);
    if (parts.empty()) return false;
    const Dwarf_Die last = types.bare(parts.back().type);
    return Types::is_array(last) && types.size(last) <= types.shape(last).element_size;
}

struct Candidate {
    Dwarf_Die type{};
    std::string name;
    BlockShape shape;
};

// The candidate that begins with all the others.
std::optional<BlockShape> outermost(Types& types, const std::vector<Candidate>& candidates) {
    for (const Candidate& whole : candidates)
        if (std::all_of(candidates.begin(), candidates.end(),
                        [&](const Candidate& each) { return begins_with(types, whole.type, each.name, 0); }))
            return whole.shape;
    return std::nullopt;
}

}  // namespace

std::optional<BlockShape> choose_type(Types& types, const std::vector<TypedPointer>& pointers, u64 bytes,
                                      bool array) {
    std::vector<Candidate> whole, elements, raw;
    for (const TypedPointer& pointer : pointers) {
        if (pointer.offset != 0) continue;
        const Dwarf_Die bare = types.bare(pointer.target);
        const u64 size = types.size(bare);
        if (size == 0 || size > bytes) continue;
        Candidate made{pointer.target, types.name(bare), {pointer.target, size, 0, bytes / size}};
        std::vector<Candidate>* to = nullptr;
        if (is_raw(bare)) {
            to = &raw;
        } else if (size == bytes) {
            to = &whole;
        } else if (bytes % size == 0) {
            to = &elements;
        } else if (array && bytes > sizeof(u64) && (bytes - sizeof(u64)) % size == 0) {
            made.shape = {pointer.target, size, sizeof(u64), (bytes - sizeof(u64)) / size};
            to = &elements;
        } else if (is_open_ended(types, bare)) {
            made.shape.count = 1;
            to = &whole;
        } else {
            continue;
        }
        if (std::none_of(to->begin(), to->end(),
                         [&](const Candidate& each) { return each.name == made.name; }))
            to->push_back(std::move(made));
    }
    for (auto* list : {&whole, &elements, &raw})
        if (!list->empty()) return outermost(types, *list);
    return std::nullopt;
}

std::optional<Dwarf_Die> allocator_type(const Units& units, Dwarf_Die function) {
    function = origin_of(units, function);
    if (text_of(function, DW_AT_name) != "allocate") return std::nullopt;
    std::optional<Dwarf_Die> found;
    for (const Dwarf_Die& parent : parents_of(function)) {
        const std::string name = text_of(parent, DW_AT_name);
        if (!name.starts_with("new_allocator<") && !name.starts_with("__new_allocator<") &&
            !name.starts_with("allocator<"))
            continue;
        for_each_child(parent, [&](Dwarf_Die child) {
            if (dwarf_tag(&child) != DW_TAG_template_type_parameter) return true;
            found = units.type(child);
            return false;
        });
    }
    return found;
}

}  // namespace memspy::report::names
