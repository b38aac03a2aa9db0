// SPDX-License-Identifier: GPL-2.0-or-later
#include "dwarf/allocations.h"

#include "dwarf/functions_at.h"
#include "rt/nearest_declaration.h"
#include "rt/prefix.h"
#include "rt/runtime_libraries.h"

namespace memspy::dwarf {
namespace {

constexpr u16 kBaseType = 0x24, kTemplateType = 0x2f;

bool is_class(const Entry& type) { return type.tag == kStructure || type.tag == kClass; }

// An object of the class may hold the address of a block: it has a pointer, or a base or member that has one.
bool holds_pointer(const InfoUnit& unit, const TypeReader& types, const Entry& type, unsigned depth = 0) {
    constexpr unsigned kMostDepth = 12;
    Entry child, member;
    for (u64 at = type.has_children && depth < kMostDepth ? type.next : 0;
         at != 0 && unit.read(at, &child) && child.tag != 0; at = unit.after(child))
        if ((child.tag == kMember || child.tag == kInheritance) && types.type_of(child, &member) &&
            (member.tag == kPointer || (is_class(member) && holds_pointer(unit, types, member, depth + 1))))
            return true;
    return false;
}

// What a line calls for a block, as far as debug information knows it.
struct CalledFunction {
    bool known = false;
    bool returns_pointer = false;
    const char *name = nullptr, *returned_class = nullptr;  // null: none, or not known

    void read(const InfoUnit& unit, const TypeReader& types, const Entry& function) {
        Entry type;
        const bool returns = types.type_of(function, &type);
        known = true;
        returns_pointer = returns && type.tag == kPointer;
        name = unit.text(types.inherited(function, AttributeName::Name));
        returned_class =
            returns && is_class(type) ? unit.text(types.inherited(type, AttributeName::Name)) : nullptr;
    }
};

// "vector<long, std::allocator<long> >" of the constructor "vector"; the name of a class that is no template
// is all of it.
bool is_class_name(const char* text, const char* name) {
    if (name == nullptr || *name == '\0') return false;
    for (; *name != '\0'; ++name)
        if (*text++ != *name) return false;
    return *text == '\0' || *text == '<';
}

// A variable of the type, declared at the line of the call, can get the block: a pointer if a pointer is
// returned, an object of a class if it is constructed or returned. So a lock that is taken before something
// goes into a map owns no node, nor does an iterator. Of allocators nothing is known.
bool can_own(const InfoUnit& unit, const TypeReader& types, Entry type, const CalledFunction& called) {
    for (unsigned step = 0; step < kMostSteps && type.tag == kArray; ++step)
        if (!types.type_of(Entry(type), &type)) return false;
    if (type.tag == kPointer) return !called.known || called.returns_pointer;
    if (!is_class(type)) return false;
    if (!called.known) return holds_pointer(unit, types, type);
    const char* const name = unit.text(types.inherited(type, AttributeName::Name));
    return name != nullptr && !rt::contains(name, "iterator") &&
           (is_class_name(name, called.name) || is_class_name(name, called.returned_class));
}

// f(entry) for the function and what it is an instance of, until one says true.
template <typename F>
bool any_origin(const InfoUnit& unit, Entry function, F f) {
    for (unsigned step = 0; step < kMostSteps; ++step) {
        if (f(function)) return true;
        u64 origin = unit.reference(function[AttributeName::AbstractOrigin]);
        if (origin == 0) origin = unit.reference(function[AttributeName::Specification]);
        if (origin == 0 || !unit.read(origin, &function)) break;
    }
    return false;
}

// A type that the function's template was made for, such as T of "T* allocate<T>(size_t)".
bool is_argument(const InfoUnit& unit, const TypeReader& types, const Entry& function, const Entry& type) {
    return any_origin(unit, function, [&](const Entry& origin) {
        Entry argument, made_for;
        for (u64 at = origin.has_children ? origin.next : 0;
             at != 0 && unit.read(at, &argument) && argument.tag != 0; at = unit.after(argument))
            if (argument.tag == kTemplateType && types.type_of(argument, &made_for) &&
                made_for.offset == type.offset)
                return true;
        return false;
    });
}

bool is_in_header(const InfoUnit& unit, const TypeReader& types, const Entry& function) {
    const char* const name = unit.text(unit.root()[AttributeName::Name]);
    rt::Text file;
    unit.add_file(file, types.inherited(function, AttributeName::DeclaredFile).number);
    if (name == nullptr || file.empty()) return false;
    rt::Text own;
    return !file.equals(own.add(rt::file_name(name)));
}

// The first type that a class template was made for.
bool describe_argument(const InfoUnit& unit, const TypeReader& types, const Entry& type, ElementPart* part) {
    Entry argument;
    for (u64 at = type.has_children ? type.next : 0; at != 0 && unit.read(at, &argument) && argument.tag != 0;
         at = unit.after(argument)) {
        if (argument.tag != kTemplateType) continue;
        types.describe_target(argument, part);
        return true;
    }
    return false;
}

}  // namespace

bool is_allocator(const Sections& sections, u64 pc, u32 depth) {
    return with_near_unit(sections, pc, [&](const InfoUnit& unit) {
        FunctionsAt search(unit, pc);
        if (!search.choose(depth)) return false;
        bool takes_size = false, takes_other = false;
        search.for_each_variable([&](const Entry& variable) {
            if (variable.tag != kParameter) return;
            Entry type;
            const bool is_number = search.types().type_of(variable, &type) && type.tag == kBaseType;
            takes_size |= is_number && search.types().size_of(type) >= 4;
            takes_other |= !is_number;
        });
        Entry result, target;
        if (!takes_size || !search.types().type_of(search.function(), &result) || result.tag != kPointer)
            return false;
        if (!search.types().type_of(result, &target)) return true;
        const TypeReader& types = search.types();
        return !takes_other && (is_argument(unit, types, search.function(), target) ||
                                (target.tag == kBaseType && is_in_header(unit, types, search.function())));
    });
}

bool find_declared_at(const Sections& sections, u64 pc, u32 depth, u64 line, u64 called, ElementPart* part) {
    CalledFunction outer;
    if (called != 0)
        with_near_unit(sections, called, [&](const InfoUnit& unit) {
            FunctionsAt search(unit, called);
            if (search.choose(0)) outer.read(unit, search.types(), search.function());
            return true;
        });
    return with_near_unit(sections, pc, [&](const InfoUnit& unit) {
        FunctionsAt search(unit, pc);
        const TypeReader& types = search.types();
        if (!search.choose(depth)) return false;
        if (search.call_line() != 0) {
            line = search.call_line();
            outer.read(unit, types, search.called());
        }
        rt::NearestDeclaration nearest(search.call_column());
        Entry found;
        part->placed = false;
        search.for_each_variable([&](const Entry& variable) {
            Entry type;
            if (variable.tag != kVariable ||
                types.inherited(variable, AttributeName::DeclaredLine).number != line ||
                !types.type_of(variable, &type) || !can_own(unit, types, type, outer))
                return;
            const u64 column = types.inherited(variable, AttributeName::DeclaredColumn).number;
            if (!nearest.take(column)) return;
            found = variable;
            part->placed = column != 0;
        });
        const char* const name =
            nearest.is_sure() ? unit.text(types.inherited(found, AttributeName::Name)) : nullptr;
        Entry type;
        if (name == nullptr || !types.type_of(found, &type)) return false;
        part->array.add(name);
        part->bytes = 0;
        part->container = is_class(type);
        if (part->container)
            describe_argument(unit, types, type, part);
        else
            types.describe_target(type, part);
        return true;
    });
}

bool find_grown_at(const Sections& sections, u64 pc, u64 line, u32 number, ListedVariable* found,
                   ElementPart* element) {
    return with_near_unit(sections, pc, [&](const InfoUnit& unit) {
        FunctionsAt search(unit, pc);
        const TypeReader& types = search.types();
        if (search.count() == 0 || !search.choose(search.count() - 1)) return false;
        // Columns say which of the line it is. Where they are not known: arrays get their memory in order.
        rt::Vector<Entry> arrays, pointers;
        rt::NearestDeclaration nearest(search.call_column());
        Entry nearest_array;
        search.for_each_variable([&](const Entry& variable) {
            Entry type;
            if (variable.tag != kVariable || !types.type_of(variable, &type) ||
                types.inherited(variable, AttributeName::DeclaredLine).number != line)
                return;
            // The compiler's own pointers to them: A.14.
            const char* const name = unit.text(types.inherited(variable, AttributeName::Name));
            if (name == nullptr || rt::contains(name, ".")) return;
            if (types.is_variable_length(type)) {
                arrays.push_back(variable);
                if (nearest.take(types.inherited(variable, AttributeName::DeclaredColumn).number))
                    nearest_array = variable;
            }
            if (type.tag == kPointer) pointers.push_back(variable);
        });
        const rt::Vector<Entry>& all = arrays.empty() ? pointers : arrays;
        if (all.empty()) return false;
        const bool is_nearest = !arrays.empty() && nearest.is_sure();
        const Entry& variable = is_nearest ? nearest_array : all[number % all.size()];
        Entry type;
        types.type_of(variable, &type);
        types.describe_target(type, element);
        found->name = unit.text(types.inherited(variable, AttributeName::Name));
        found->is_address = arrays.empty();
        found->line = line;
        found->unit = unit.start();
        found->file = types.inherited(variable, AttributeName::DeclaredFile).number;
        if (search.count() > 1)
            found->function = unit.text(types.inherited(search.function(), AttributeName::Name));
        search.choose(0);
        found->entry = unit.entry_point(search.function());
        return true;
    });
}

bool find_allocated_type(const Sections& sections, u64 pc, ElementPart* part) {
    constexpr const char* kAllocators[] = {"allocator<", "new_allocator<", "__new_allocator<"};
    return with_near_unit(sections, pc, [&](const InfoUnit& unit) {
        FunctionsAt search(unit, pc);
        bool found = false;
        for (u32 depth = search.count(); depth-- > 0 && !found && search.choose(depth);)
            search.for_each_variable([&](const Entry& variable) {
                // `this`, or the allocator that std::allocator_traits gets.
                Entry type, target;
                if (found || variable.tag != kParameter || !search.types().type_of(variable, &type) ||
                    (type.tag != kPointer && type.tag != kReference) ||
                    !search.types().type_of(type, &target) || !is_class(target))
                    return;
                const char* const name = unit.text(search.types().inherited(target, AttributeName::Name));
                found = name != nullptr && rt::starts_with_one_of(name, kAllocators) &&
                        describe_argument(unit, search.types(), target, part);
            });
        return found;
    });
}

}  // namespace memspy::dwarf
