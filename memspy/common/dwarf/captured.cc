// SPDX-License-Identifier: GPL-2.0-or-later
#include "dwarf/captured.h"

#include "dwarf/types.h"
#include "dwarf/unit.h"

namespace memspy::dwarf {
namespace {

constexpr unsigned kMostScopes = 64;

// The function that has the code. GCC puts that of a construct into the function around it.
bool find_function(const InfoUnit& unit, const Entry& parent, u64 pc, unsigned depth, Entry* function) {
    if (depth == kMostScopes || !parent.has_children) return false;
    Entry child;
    for (u64 at = parent.next; unit.read(at, &child) && child.tag != 0; at = unit.after(child)) {
        if (child.tag == kSubprogram && unit.has_code(child) && unit.covers(child, pc)) {
            *function = child;
            return true;
        }
        const bool is_scope = child.tag == kSubprogram || child.tag == kLexicalBlock ||
                              child.tag == kNamespace || child.tag == kModule;
        if (is_scope && find_function(unit, child, pc, depth + 1, function)) return true;
    }
    return false;
}

bool find_structure(const InfoUnit& unit, const Entry& function, const TypeReader& types, Entry* structure) {
    if (!function.has_children) return false;
    Entry child;
    for (u64 at = function.next; unit.read(at, &child) && child.tag != 0; at = unit.after(child)) {
        if (child.tag != kParameter) continue;
        Entry pointer;
        return unit.text(child[AttributeName::Name]) == nullptr && types.type_of(child, &pointer) &&
               (pointer.tag == kReference || pointer.tag == kPointer) && types.type_of(pointer, structure) &&
               structure->tag == kStructure;
    }
    return false;
}

// Arrays and whatever else the construct may not copy are handed on by their addresses: the member `name` is a
// pointer to what the function knows as its variable of that name.
bool is_address_of(const InfoUnit& unit, const Entry& function, const TypeReader& types, const char* name,
                   const Entry& member) {
    Entry target, child, type;
    if ((member.tag != kPointer && member.tag != kReference) || !types.type_of(member, &target)) return false;
    for (u64 at = function.next; unit.read(at, &child) && child.tag != 0; at = unit.after(child)) {
        const char* const own = child.tag == kVariable ? unit.text(child[AttributeName::Name]) : nullptr;
        if (own != nullptr && rt::are_same(own, name))
            return types.type_of(child, &type) && type.offset == target.offset;
    }
    return false;
}

}  // namespace

bool add_captured(rt::Text& text, const Sections& sections, u64 pc, u64 offset, u64 bytes) {
    return with_unit_of(sections, pc, [&](const InfoUnit& unit) {
        const TypeReader types(unit);
        Entry function, structure;
        rt::Text path;
        if (!find_function(unit, unit.root(), pc, 0, &function) ||
            !find_structure(unit, function, types, &structure) ||
            !types.add_part(path, structure, offset, bytes))
            return false;
        const char* const name = path.c_str();
        if (*name != '.') return false;
        text.add(name + 1);
        return true;
    });
}

bool for_each_captured(const Sections& sections, u64 pc, void (*f)(const ListedVariable&, void*),
                       void* argument) {
    return with_unit_of(sections, pc, [&](const InfoUnit& unit) {
        const TypeReader types(unit);
        Entry function, structure, child, type;
        if (!find_function(unit, unit.root(), pc, 0, &function) ||
            !find_structure(unit, function, types, &structure) || !structure.has_children)
            return false;
        for (u64 at = structure.next; unit.read(at, &child) && child.tag != 0; at = unit.after(child)) {
            ListedVariable told;
            told.name = unit.text(child[AttributeName::Name]);
            if (child.tag != kMember || told.name == nullptr || !types.type_of(child, &type)) continue;
            told.from_end = static_cast<i64>(child[AttributeName::DataMemberLocation].number);
            told.bytes = types.size_of(type);
            told.is_address = is_address_of(unit, function, types, told.name, type);
            told.line = child[AttributeName::DeclaredLine].number;
            told.unit = unit.start();
            told.file = child[AttributeName::DeclaredFile].number;
            f(told, argument);
        }
        return true;
    });
}

}  // namespace memspy::dwarf
