// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/names/block_type.h"

#include <dwarf.h>

#include <algorithm>
#include <map>
#include <string>

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

// Whether an object of `part` may lie anywhere in one of `whole`.
bool contains(Types& types, Dwarf_Die whole, const std::string& part, int depth) {
    whole = types.bare(whole);
    if (types.name(whole) == part) return true;
    if (depth > kDeepest) return false;
    if (Types::is_array(whole)) return contains(types, types.shape(whole).element, part, depth + 1);
    if (!Types::is_aggregate(whole)) return false;
    const std::vector<Component> parts = types.components(whole);
    return std::any_of(parts.begin(), parts.end(), [&](const Component& component) {
        return contains(types, component.type, part, depth + 1);
    });
}

// Whether an array within the type is at this offset: then an index counts its elements.
bool has_array_at(Types& types, Dwarf_Die type, long long offset, int depth) {
    type = types.bare(type);
    if (Types::is_array(type)) return true;
    if (!Types::is_aggregate(type) || depth > kDeepest) return false;
    const std::vector<Component> parts = types.components(type);
    return std::any_of(parts.begin(), parts.end(), [&](const Component& component) {
        const auto begin = static_cast<long long>(component.offset);
        return begin <= offset && offset < begin + static_cast<long long>(component.size) &&
               has_array_at(types, component.type, offset - begin, depth + 1);
    });
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

std::optional<BlockShape> choose_accessed_type(Types& types, const std::vector<AccessedType>& accesses,
                                               u64 bytes, bool array) {
    struct Seen {
        Dwarf_Die type;
        u64 size;
        bool indexed;
    };
    std::map<std::string, Seen> seen;
    std::vector<std::vector<std::string>> told;  // for each access that says something
    u64 times = 0, told_times = 0;
    for (const AccessedType& access : accesses) {
        times += access.times;
        std::vector<std::string> names;
        for (const TypedPointer& pointer : access.pointers) {
            const Dwarf_Die bare = types.bare(pointer.target);
            const u64 size = types.size(bare);
            const std::string name = types.name(bare);
            if (size == 0 || size > bytes || name.empty()) continue;
            // Of an index of unknown width, an array in the type says whose elements it counts.
            const auto width = static_cast<long long>(size);
            const bool indexed =
                pointer.many && (pointer.step != 0 ? pointer.step % width == 0
                                                   : !has_array_at(types, bare, pointer.offset % width, 0));
            auto [place, is_new] = seen.try_emplace(name, Seen{pointer.target, size, indexed});
            place->second.indexed |= indexed;
            names.push_back(name);
        }
        // An object that is larger than the block is another one.
        if (names.empty() && !access.pointers.empty()) return std::nullopt;
        if (names.empty()) continue;
        told_times += access.times;
        told.push_back(std::move(names));
    }
    const Seen* whole = nullptr;
    for (const auto& [name, each] : seen) {
        const bool fits = std::all_of(told.begin(), told.end(), [&](const std::vector<std::string>& names) {
            return std::any_of(names.begin(), names.end(),
                               [&](const std::string& part) { return contains(types, each.type, part, 0); });
        });
        if (!fits || (whole != nullptr && whole->size > each.size)) continue;
        if (whole != nullptr && whole->size == each.size) return std::nullopt;
        whole = &each;
    }
    if (whole == nullptr) return std::nullopt;
    const Dwarf_Die bare = types.bare(whole->type);
    if (!Types::is_aggregate(bare) && 2 * told_times < times) return std::nullopt;
    const u64 size = whole->size;
    if (size == bytes || is_open_ended(types, bare)) return BlockShape{whole->type, size, 0, 1};
    if (!whole->indexed && !array) return std::nullopt;
    if (bytes % size == 0) return BlockShape{whole->type, size, 0, bytes / size};
    if (array && bytes > sizeof(u64) && (bytes - sizeof(u64)) % size == 0)
        return BlockShape{whole->type, size, sizeof(u64), (bytes - sizeof(u64)) / size};
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
