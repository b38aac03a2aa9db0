// SPDX-License-Identifier: GPL-2.0-or-later
#include "dwarf/allocations.h"

#include "dwarf/functions_at.h"
#include "rt/nearest_declaration.h"

namespace memspy::dwarf {
namespace {

// Something of the type can own a block: a pointer, an object of a class, an array of these.
bool can_own(const TypeReader& types, Entry type) {
    for (unsigned step = 0; step < kMostSteps && type.tag == kArray; ++step)
        if (!types.type_of(Entry(type), &type)) return false;
    return type.tag == kPointer || type.tag == kStructure || type.tag == kClass;
}

// The first type that a class template was made for.
bool describe_argument(const InfoUnit& unit, const TypeReader& types, const Entry& type, ElementPart* part) {
    constexpr u16 kTemplateType = 0x2f;
    Entry argument, element;
    for (u64 at = type.has_children ? type.next : 0; at != 0 && unit.read(at, &argument) && argument.tag != 0;
         at = unit.after(argument)) {
        if (argument.tag != kTemplateType) continue;
        types.describe_element(argument, part);
        if (types.type_of(argument, &element)) part->bytes = types.size_of(element);
        return true;
    }
    return false;
}

}  // namespace

bool is_allocator(const Sections& sections, u64 pc, u32 depth) {
    return with_near_unit(sections, pc, [&](const InfoUnit& unit) {
        FunctionsAt search(unit, pc);
        if (!search.choose(depth)) return false;
        constexpr u16 kBaseType = 0x24;
        bool takes_size = false;
        search.for_each_variable([&](const Entry& variable) {
            Entry type;
            if (variable.tag == kParameter && search.types().type_of(variable, &type) &&
                type.tag == kBaseType && search.types().size_of(type) >= 4)
                takes_size = true;
        });
        Entry result, target;
        return takes_size && search.types().type_of(search.function(), &result) && result.tag == kPointer &&
               !search.types().type_of(result, &target);
    });
}

bool find_declared_at(const Sections& sections, u64 pc, u32 depth, u64 line, ElementPart* part) {
    return with_near_unit(sections, pc, [&](const InfoUnit& unit) {
        FunctionsAt search(unit, pc);
        const TypeReader& types = search.types();
        if (!search.choose(depth)) return false;
        if (search.call_line() != 0) line = search.call_line();
        rt::NearestDeclaration nearest(search.call_column());
        Entry found;
        search.for_each_variable([&](const Entry& variable) {
            Entry type;
            if (variable.tag != kVariable ||
                types.inherited(variable, AttributeName::DeclaredLine).number != line ||
                !types.type_of(variable, &type) || !can_own(types, type))
                return;
            if (nearest.take(types.inherited(variable, AttributeName::DeclaredColumn).number))
                found = variable;
        });
        const char* const name =
            nearest.is_sure() ? unit.text(types.inherited(found, AttributeName::Name)) : nullptr;
        Entry type, element;
        if (name == nullptr || !types.type_of(found, &type)) return false;
        part->array.add(name);
        part->bytes = 0;
        if (type.tag == kStructure || type.tag == kClass) {
            describe_argument(unit, types, type, part);
            return true;
        }
        types.describe_element(type, part);
        if (types.type_of(type, &element)) part->bytes = types.size_of(element);
        return true;
    });
}

}  // namespace memspy::dwarf
