// SPDX-License-Identifier: GPL-2.0-or-later
#include "dwarf/static_list.h"

#include "dwarf/static_walk.h"

namespace memspy::dwarf {
namespace {

// What surrounds a variable.
struct StaticScope {
    const char* function = nullptr;
    const char* block = nullptr;
    u64 division = 0;  // a COMMON block's children
};

class StaticLister {
public:
    StaticLister(const InfoUnit& unit, void (*f)(const ListedStatic&, void*), void* argument)
        : unit_(unit), types_(unit), tell_(f), argument_(argument) {}

    void run() { walk_statics(unit_, unit_.root(), StaticScope(), *this); }

    StaticScope inside(const StaticScope& outer, const Entry& entry) const {
        StaticScope scope = outer;
        const char* name = unit_.text(types_.inherited(entry, AttributeName::Name));
        if (entry.tag == kSubprogram) scope.function = name;
        if (entry.tag == kNamespace || entry.tag == kModule || entry.tag == kCommonBlock) scope.block = name;
        scope.division = entry.tag == kCommonBlock ? entry.next : 0;
        if (scope.division != 0) scope.function = nullptr;
        return scope;
    }

    bool meet(const Entry& variable, const StaticScope& scope) const {
        tell(variable, scope);
        return true;
    }

private:
    void tell(const Entry& variable, const StaticScope& scope) const {
        ListedStatic told;
        const Attribute& location = variable[AttributeName::Location];
        told.address = unit_.constant_address(location);
        told.of_thread = told.address == 0 && unit_.thread_offset(location, &told.address);
        told.name = unit_.text(types_.inherited(variable, AttributeName::Name));
        if ((told.address == 0 && !told.of_thread) || told.name == nullptr) return;
        Entry type;
        if (types_.type_of(variable, &type)) told.bytes = types_.size_of(type);
        told.function = scope.function;
        told.block = scope.block;
        told.is_common = scope.division != 0;
        told.division = scope.division;
        told.line = types_.inherited(variable, AttributeName::DeclaredLine).number;
        told.unit = unit_.start();
        told.file = types_.inherited(variable, AttributeName::DeclaredFile).number;
        // A static member stands outside its class and what surrounds it, a variable outside its namespace.
        if (told.block == nullptr) told.block = block_of_declaration(variable);
        tell_(told, argument_);
    }

    // That which holds the declaration that the variable refers to.
    const char* block_of_declaration(const Entry& variable) const {
        const u64 wanted = unit_.reference(variable[AttributeName::Specification]);
        const char* block = nullptr;
        if (wanted != 0) find_declaration(unit_.root(), wanted, &block, 0);
        return block;
    }

    // Entries are in the order of their offsets, so that only those around `wanted` are looked into.
    void find_declaration(const Entry& parent, u64 wanted, const char** block, unsigned depth) const {
        Entry child;
        u64 at = parent.has_children && depth < kMostSteps ? parent.next : 0;
        while (at != 0 && at < wanted && unit_.read(at, &child) && child.tag != 0) {
            at = unit_.after(child);
            if (at <= wanted) continue;
            if (child.tag == kNamespace) *block = unit_.text(child[AttributeName::Name]);
            return find_declaration(child, wanted, block, depth + 1);
        }
    }

    const InfoUnit& unit_;
    TypeReader types_;
    void (*tell_)(const ListedStatic&, void*);
    void* argument_;
};

}  // namespace

void for_each_static(const Sections& sections, void (*f)(const ListedStatic&, void*), void* argument) {
    if (sections.info.size > kMostListed) return;
    any_unit(sections, [&](const InfoUnit& unit) {
        StaticLister(unit, f, argument).run();
        return false;
    });
}

void add_file_of(rt::Text& text, const Sections& sections, u64 unit_offset, u64 file) {
    const InfoUnit unit(sections, unit_offset);
    if (unit.is_readable()) unit.add_file(text, file);
}

}  // namespace memspy::dwarf
