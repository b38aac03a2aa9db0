// SPDX-License-Identifier: GPL-2.0-or-later
#include "dwarf/allocations.h"

#include "dwarf/unit.h"
#include "rt/nearest_declaration.h"

namespace memspy::dwarf {
namespace {

// Bytes of .debug_info that are searched for a unit where there is no index. These questions are asked of many blocks.
constexpr u64 kMostSearched = 16u << 20;

template <typename F>
bool with_near_unit(const Sections& sections, u64 pc, F f) {
    if (sections.info.size > kMostSearched && unit_by_aranges(sections, pc) == 0) return false;
    return with_unit_of(sections, pc, f);
}

// The function at `pc`, and the functions that are inlined there.
class FunctionSearch {
public:
    FunctionSearch(const InfoUnit& unit, u64 pc) : unit_(unit), types_(unit), pc_(pc) {
        if (unit_.root().has_children) find_functions(unit_.root(), 0);
    }

    // False if there are fewer.
    bool choose(u32 depth) {
        if (depth >= functions_.size()) return false;
        function_ = functions_[depth];
        const Entry* const called = depth + 1 < functions_.size() ? &functions_[depth + 1] : nullptr;
        call_line_ = called == nullptr ? 0 : (*called)[AttributeName::CallLine].number;
        call_column_ = called == nullptr ? unit_.column(pc_) : (*called)[AttributeName::CallColumn].number;
        return true;
    }
    // f(child) for the parameters and variables of the function, and of its blocks at `pc`.
    template <typename F>
    void for_each_variable(F f) {
        visit_variables(function_, 0, f);
    }
    const Entry& function() const { return function_; }
    // Where it calls what is inlined at `pc`; 0: nothing is.
    u64 call_line() const { return call_line_; }
    // The column there, or of `pc`; 0: not known.
    u64 call_column() const { return call_column_; }
    const TypeReader& types() const { return types_; }

private:
    bool is_here(const Entry& entry) const { return unit_.has_code(entry) && unit_.covers(entry, pc_); }

    // True if the function at `pc` is in `parent`.
    bool find_functions(const Entry& parent, unsigned depth) {
        if (depth == kMostSteps) return true;
        Entry child;
        for (u64 at = parent.next; unit_.read(at, &child) && child.tag != 0; at = unit_.after(child)) {
            switch (child.tag) {
                case kNamespace:
                case kModule:
                    if (child.has_children && find_functions(child, depth + 1)) return true;
                    break;
                case kSubprogram:
                case kInlined:
                case kLexicalBlock:
                    if (!is_here(child)) break;
                    if (child.tag != kLexicalBlock) functions_.push_back(child);
                    if (child.has_children) find_functions(child, depth + 1);
                    return true;
                default: break;
            }
        }
        return false;
    }

    template <typename F>
    void visit_variables(const Entry& parent, unsigned depth, F& f) {
        if (depth == kMostSteps || !parent.has_children) return;
        Entry child;
        for (u64 at = parent.next; unit_.read(at, &child) && child.tag != 0; at = unit_.after(child)) {
            if (child.tag == kVariable || child.tag == kParameter)
                f(child);
            else if (child.tag == kLexicalBlock && is_here(child))
                visit_variables(child, depth + 1, f);
        }
    }

    const InfoUnit& unit_;
    TypeReader types_;
    const u64 pc_;
    rt::Vector<Entry> functions_;  // outermost first
    Entry function_;
    u64 call_line_ = 0, call_column_ = 0;
};

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
        FunctionSearch search(unit, pc);
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
        FunctionSearch search(unit, pc);
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
