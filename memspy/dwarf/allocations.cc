// SPDX-License-Identifier: GPL-2.0-or-later
#include "dwarf/allocations.h"

#include "dwarf/unit.h"

namespace memspy::dwarf {
namespace {

// Bytes of .debug_info that are searched for a unit where there is no index. These questions are asked of many blocks.
constexpr u64 kMostSearched = 16u << 20;

template <typename F>
bool with_near_unit(const Sections& sections, u64 pc, F f) {
    if (sections.info.size > kMostSearched && unit_by_aranges(sections, pc) == 0) return false;
    return with_unit_of(sections, pc, f);
}

class FunctionSearch {
public:
    FunctionSearch(const InfoUnit& unit, u64 pc) : unit_(unit), types_(unit), pc_(pc) {}

    // f(child) for the children of the function at `pc`, and of its blocks there, until f returns false.
    template <typename F>
    void for_each_variable(F f) {
        if (unit_.root().has_children) visit(unit_.root(), 0, f);
    }
    const Entry& function() const { return function_; }
    // Where the function itself calls what is inlined at `pc`; 0: nothing is.
    u64 call_line() const { return call_line_; }
    const TypeReader& types() const { return types_; }

private:
    template <typename F>
    bool visit(const Entry& parent, unsigned depth, F f) {
        if (depth == kMostSteps) return true;
        Entry child;
        for (u64 at = parent.next; unit_.read(at, &child) && child.tag != 0; at = unit_.after(child)) {
            switch (child.tag) {
                case kVariable:
                case kParameter:
                    if (function_.tag != 0 && !f(child)) return false;
                    break;
                case kNamespace:
                case kModule:
                    if (child.has_children && !visit(child, depth + 1, f)) return false;
                    break;
                case kSubprogram:
                case kLexicalBlock:
                    if (!child.has_children || !unit_.has_code(child) || !unit_.covers(child, pc_)) break;
                    if (child.tag == kSubprogram) function_ = child;
                    if (!visit(child, depth + 1, f)) return false;
                    break;
                case kInlined:
                    if (function_.tag != 0 && unit_.has_code(child) && unit_.covers(child, pc_))
                        call_line_ = child[AttributeName::CallLine].number;
                    break;
                default: break;
            }
        }
        return true;
    }

    const InfoUnit& unit_;
    TypeReader types_;
    const u64 pc_;
    Entry function_;
    u64 call_line_ = 0;
};

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

bool is_allocator(const Sections& sections, u64 pc) {
    return with_near_unit(sections, pc, [&](const InfoUnit& unit) {
        FunctionSearch search(unit, pc);
        constexpr u16 kBaseType = 0x24;
        bool takes_size = false;
        search.for_each_variable([&](const Entry& variable) {
            Entry type;
            if (variable.tag == kParameter && search.types().type_of(variable, &type) &&
                type.tag == kBaseType && search.types().size_of(type) >= 4)
                takes_size = true;
            return true;
        });
        Entry result, target;
        return takes_size && search.types().type_of(search.function(), &result) && result.tag == kPointer &&
               !search.types().type_of(result, &target);
    });
}

bool find_declared_at(const Sections& sections, u64 pc, u64 innermost_line, ElementPart* part) {
    return with_near_unit(sections, pc, [&](const InfoUnit& unit) {
        FunctionSearch search(unit, pc);
        const TypeReader& types = search.types();
        search.for_each_variable([](const Entry&) { return true; });
        const u64 line = search.call_line() != 0 ? search.call_line() : innermost_line;
        Entry found;
        u32 count = 0;
        search.for_each_variable([&](const Entry& variable) {
            if (variable.tag != kVariable ||
                types.inherited(variable, AttributeName::DeclaredLine).number != line)
                return true;
            Entry type;
            if (!types.type_of(variable, &type) ||
                (type.tag != kPointer && type.tag != kArray && type.tag != kStructure && type.tag != kClass))
                return true;
            found = variable;
            ++count;
            return true;
        });
        const char* const name =
            count == 1 ? unit.text(types.inherited(found, AttributeName::Name)) : nullptr;
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
