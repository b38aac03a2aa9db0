// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/names/types.h"

#include <cxxabi.h>
#include <dwarf.h>

#include <cstdlib>

#include "report/names/short_types.h"

namespace memspy::report::names {
namespace {

// Types refer to each other in cycles (in damaged files even more so).
constexpr int kDeepest = 64;

// -1: not known.
int language_of(Dwarf_Die die) {
    Dwarf_Die unit;
    return dwarf_diecu(&die, &unit, nullptr, nullptr) == nullptr ? -1 : dwarf_srclang(&unit);
}

bool is_c(Dwarf_Die die) {
    switch (language_of(die)) {
        case DW_LANG_C:
        case DW_LANG_C89:
        case DW_LANG_C99:
        case DW_LANG_C11: return true;
        default: return false;
    }
}

bool is_fortran(Dwarf_Die die) {
    switch (language_of(die)) {
        case DW_LANG_Fortran77:
        case DW_LANG_Fortran90:
        case DW_LANG_Fortran95:
        case DW_LANG_Fortran03:
        case DW_LANG_Fortran08: return true;
        default: return false;
    }
}

// The first index of an array's dimension that has none of its own: 1 in Fortran and Ada, say.
long long default_first_index(Dwarf_Die dimension) {
    Dwarf_Sword first = 0;
    return dwarf_default_lower_bound(language_of(dimension), &first) == 0 ? first : 0;
}

const char* keyword(unsigned tag) {
    switch (tag) {
        case DW_TAG_structure_type: return "struct";
        case DW_TAG_class_type: return "class";
        case DW_TAG_union_type: return "union";
        case DW_TAG_enumeration_type: return "enum";
        default: return nullptr;
    }
}

const char* qualifier(unsigned tag) {
    switch (tag) {
        case DW_TAG_const_type: return "const";
        case DW_TAG_volatile_type: return "volatile";
        case DW_TAG_restrict_type: return "restrict";
        case DW_TAG_atomic_type: return "_Atomic";
        default: return nullptr;
    }
}

std::string joined(const std::string& left, const std::string& right) {
    return right.empty() || right[0] == '[' ? left + right : left + " " + right;
}

// An operand before `[]` or `()` needs parentheses if it is a pointer.
std::string held(const std::string& inner) {
    return !inner.empty() && (inner[0] == '*' || inner[0] == '&') ? "(" + inner + ")" : inner;
}

// An array's bound. Compilers write those below 0 as sdata or with a sign; what has a fixed size is not
// negative, 199 in one byte. None for an expression: an array of variable length.
std::optional<long long> bound_of(Dwarf_Attribute attribute) {
    Dwarf_Sword value = 0;
    switch (dwarf_whatform(&attribute)) {
        case DW_FORM_data1:
        case DW_FORM_data2:
        case DW_FORM_data4: {
            Dwarf_Word number = 0;
            if (dwarf_formudata(&attribute, &number) != 0) return std::nullopt;
            return static_cast<long long>(number);
        }
        default: break;
    }
    if (dwarf_formsdata(&attribute, &value) != 0) return std::nullopt;
    return value;
}

}  // namespace

std::vector<Dwarf_Die> parents_of(Dwarf_Die wanted) {
    std::vector<Dwarf_Die> parents;
    Dwarf_Die at;
    if (dwarf_diecu(&wanted, &at, nullptr, nullptr) == nullptr) return parents;
    const Dwarf_Off target = dwarf_dieoffset(&wanted);
    while (parents.size() < kDeepest) {
        Dwarf_Die below{};
        bool found = false;
        for_each_child(at, [&](Dwarf_Die child) {
            if (dwarf_dieoffset(&child) > target) return false;
            below = child;
            found = true;
            return true;
        });
        if (!found || dwarf_dieoffset(&below) == target) break;
        parents.push_back(below);
        at = below;
    }
    return parents;
}

std::string demangled(const std::string& name) {
    if (!name.starts_with("_Z")) return name;
    int status = 0;
    std::unique_ptr<char, decltype(&std::free)> readable(
        abi::__cxa_demangle(name.c_str(), nullptr, nullptr, &status), &std::free);
    return status == 0 && readable != nullptr ? readable.get() : name;
}

std::string Types::scope_of(Dwarf_Die die) {
    std::string scope;
    for (Dwarf_Die parent : parents_of(die)) {
        const unsigned tag = static_cast<unsigned>(dwarf_tag(&parent));
        if (tag == DW_TAG_namespace) {
            const std::string own = text_of(parent, DW_AT_name);
            scope += (own.empty() ? "(anonymous namespace)" : own) + "::";
        } else if (tag == DW_TAG_subprogram) {
            // Some compilers leave a DIE without a name for a function that was inlined everywhere.
            const std::string function = function_name(parent);
            scope = function.empty() ? function : function + "::";
        } else if (tag == DW_TAG_common_block) {
            // Fortran: its members are the same bytes in each function that declares it.
            scope = "/" + text_of(parent, DW_AT_name) + "/ ";
        } else if (keyword(tag) != nullptr) {
            std::string own = text_of(parent, DW_AT_name);
            if (own.empty())
                if (auto whole = units_.follow(parent, DW_AT_signature)) own = text_of(*whole, DW_AT_name);
            // C types are not nested: a struct defined inside another one is in the same scope.
            if (!own.empty() && !is_c(die)) scope += own + "::";
        }
    }
    return scope;
}

std::string Types::qualified_name(Dwarf_Die die) {
    die = origin_of(units_, die);
    auto [place, is_new] = qualified_.try_emplace(die.addr);
    if (is_new) {
        // Inserting during the recursion keeps references to a map's elements valid.
        const std::string own = text_of(die, DW_AT_name);
        place->second = own.empty() ? own : short_type(scope_of(die) + own);
    }
    return place->second;
}

std::optional<Dwarf_Die> Types::common_block(Dwarf_Die variable) {
    for (Dwarf_Die& parent : parents_of(variable))
        if (dwarf_tag(&parent) == DW_TAG_common_block) return parent;
    return std::nullopt;
}

std::string Types::function_name(Dwarf_Die function) {
    std::string linkage = text_of(function, DW_AT_linkage_name);
    if (linkage.empty()) linkage = text_of(function, DW_AT_MIPS_linkage_name);
    return linkage.empty() ? qualified_name(function) : demangled(linkage);
}

std::string Types::name(std::optional<Dwarf_Die> type) { return declare(type, "", 0); }

std::string Types::declare(std::optional<Dwarf_Die> type, const std::string& inner, int depth) {
    if (depth > kDeepest) return joined("…", inner);
    if (!type) return joined("void", inner);
    const unsigned tag = static_cast<unsigned>(dwarf_tag(&*type));
    const auto target = [&] { return units_.type(*type); };
    if (const char* word = qualifier(tag)) {
        auto below = target();
        const unsigned below_tag = below ? static_cast<unsigned>(dwarf_tag(&*below)) : 0;
        // "int* const" but "const int".
        if (below_tag == DW_TAG_pointer_type)
            return declare(below,
                           inner.empty() ? std::string("* ") + word : std::string("* ") + word + " " + inner,
                           depth + 1);
        return std::string(word) + " " + declare(below, inner, depth + 1);
    }
    switch (tag) {
        case DW_TAG_pointer_type: return declare(target(), "*" + inner, depth + 1);
        case DW_TAG_reference_type: return declare(target(), "&" + inner, depth + 1);
        case DW_TAG_rvalue_reference_type: return declare(target(), "&&" + inner, depth + 1);
        case DW_TAG_ptr_to_member_type: {
            const std::string of = declare(units_.follow(*type, DW_AT_containing_type), "", depth + 1);
            return declare(target(), "(" + of + "::*" + inner + ")", depth + 1);
        }
        case DW_TAG_array_type: {
            std::string dimensions;
            for_each_child(*type, [&](Dwarf_Die child) {
                if (dwarf_tag(&child) != DW_TAG_subrange_type) return true;
                std::optional<u64> count = number_of(child, DW_AT_count);
                const auto upper = number_of(child, DW_AT_upper_bound);
                if (!count && upper)
                    count =
                        *upper + 1 - number_of(child, DW_AT_lower_bound).value_or(default_first_index(child));
                dimensions += count ? "[" + std::to_string(*count) + "]" : "[]";
                return true;
            });
            return declare(target(), held(inner) + dimensions, depth + 1);
        }
        case DW_TAG_subroutine_type: {
            std::string parameters;
            for_each_child(*type, [&](Dwarf_Die child) {
                const int child_tag = dwarf_tag(&child);
                if (child_tag != DW_TAG_formal_parameter && child_tag != DW_TAG_unspecified_parameters)
                    return true;
                if (!parameters.empty()) parameters += ", ";
                parameters +=
                    child_tag == DW_TAG_formal_parameter ? declare(units_.type(child), "", depth + 1) : "...";
                return true;
            });
            return declare(target(), held(inner) + "(" + parameters + ")", depth + 1);
        }
        default: break;
    }
    std::string own = qualified_name(*type);
    if (const char* word = keyword(tag)) {
        if (own.empty())
            own = std::string(word) + " {…}";
        else if (is_c(*type))
            own = std::string(word) + " " + own;
    }
    // Stars follow the type directly, other declarators after a space.
    if (!inner.empty() && (inner[0] == '*' || inner[0] == '&')) return own + inner;
    return joined(own, inner);
}

Dwarf_Die Types::unqualified(Dwarf_Die type) const {
    for (int steps = 0; steps < kDeepest && qualifier(static_cast<unsigned>(dwarf_tag(&type))) != nullptr;
         ++steps) {
        auto below = units_.type(type);
        if (!below) break;
        type = *below;
    }
    return type;
}

Dwarf_Die Types::bare(Dwarf_Die type) const {
    for (int steps = 0; steps < kDeepest; ++steps) {
        const unsigned tag = static_cast<unsigned>(dwarf_tag(&type));
        if (tag != DW_TAG_typedef && qualifier(tag) == nullptr) break;
        auto below = units_.type(type);
        if (!below) break;
        type = *below;
    }
    return type;
}

u64 Types::size(Dwarf_Die type) const {
    type = bare(type);
    if (auto bytes = number_of(type, DW_AT_byte_size)) return *bytes;
    switch (dwarf_tag(&type)) {
        case DW_TAG_pointer_type:
        case DW_TAG_reference_type:
        case DW_TAG_rvalue_reference_type: return 8;
        case DW_TAG_ptr_to_member_type: {
            // A pointer to a member function is an address and an offset.
            auto target = units_.type(type);
            return target && dwarf_tag(&*target) == DW_TAG_subroutine_type ? 16 : 8;
        }
        case DW_TAG_array_type: break;
        default: return 0;
    }
    const ArrayShape array = shape(type);
    u64 bytes = array.element_size;
    for (u64 count : array.counts) bytes *= count;
    return bytes;
}

bool Types::is_aggregate(Dwarf_Die type) {
    const int tag = dwarf_tag(&type);
    return tag == DW_TAG_structure_type || tag == DW_TAG_class_type || tag == DW_TAG_union_type;
}

ValueForm Types::form(Dwarf_Die type) const {
    Dwarf_Die bare_type = bare(type);
    switch (dwarf_tag(&bare_type)) {
        case DW_TAG_enumeration_type: return ValueForm::Integer;
        case DW_TAG_pointer_type:
        case DW_TAG_reference_type:
        case DW_TAG_rvalue_reference_type:
        case DW_TAG_ptr_to_member_type: return ValueForm::Pointer;
        case DW_TAG_base_type: break;
        default: return ValueForm::Other;
    }
    Dwarf_Attribute attribute;
    Dwarf_Word encoding = 0;
    if (dwarf_formudata(dwarf_attr(&bare_type, DW_AT_encoding, &attribute), &encoding) != 0)
        return ValueForm::Other;
    switch (encoding) {
        case DW_ATE_float: return ValueForm::Float;
        case DW_ATE_address: return ValueForm::Pointer;
        case DW_ATE_boolean:
        case DW_ATE_signed:
        case DW_ATE_signed_char:
        case DW_ATE_unsigned:
        case DW_ATE_unsigned_char:
        case DW_ATE_UTF: return ValueForm::Integer;
        default: return ValueForm::Other;
    }
}

bool Types::is_array(Dwarf_Die type) { return dwarf_tag(&type) == DW_TAG_array_type; }

ArrayShape Types::shape(Dwarf_Die array) const {
    ArrayShape found;
    auto element = units_.type(array);
    if (!element) return found;
    found.element = *element;
    found.element_size = size(*element);
    found.first_is_fastest = is_fortran(array);
    for_each_child(array, [&](Dwarf_Die child) {
        if (dwarf_tag(&child) != DW_TAG_subrange_type) return true;
        Dwarf_Attribute attribute;
        long long first = default_first_index(child);
        if (dwarf_attr(&child, DW_AT_lower_bound, &attribute) != nullptr)
            first = bound_of(attribute).value_or(0);
        u64 count = 0;
        if (auto given = number_of(child, DW_AT_count))
            count = *given;
        else if (dwarf_attr(&child, DW_AT_upper_bound, &attribute) != nullptr)
            if (const auto last = bound_of(attribute)) count = static_cast<u64>(*last - first + 1);
        found.counts.push_back(count);
        found.first.push_back(first);
        return true;
    });
    return found;
}

std::vector<Component> Types::components(Dwarf_Die type) {
    std::vector<Component> found;
    for_each_child(type, [&](Dwarf_Die child) {
        const int tag = dwarf_tag(&child);
        if (tag != DW_TAG_member && tag != DW_TAG_inheritance) return true;
        // Static members are variables of their own.
        if (has_flag(child, DW_AT_external) || has_flag(child, DW_AT_declaration)) return true;
        auto of = units_.type(child);
        if (!of) return true;
        Component part;
        part.type = *of;
        part.size = size(*of);
        if (tag == DW_TAG_inheritance) {
            part.kind = Component::ComponentKind::Base;
            part.name = name(*of);
        } else {
            part.name = text_of(child, DW_AT_name);
            part.declaration = child;
        }
        Dwarf_Attribute location;
        const bool placed = dwarf_attr(&child, DW_AT_data_member_location, &location) != nullptr;
        Dwarf_Word offset = 0;
        if (placed && dwarf_formudata(&location, &offset) != 0) {
            Dwarf_Op* operations;
            std::size_t count;
            if (dwarf_getlocation(&location, &operations, &count) != 0 || count != 1 ||
                operations[0].atom != DW_OP_plus_uconst)
                return true;
            offset = operations[0].number;
        }
        part.offset = offset;
        if (auto bits = number_of(child, DW_AT_bit_size)) {
            u64 first;
            if (auto from_start = number_of(child, DW_AT_data_bit_offset)) {
                first = 8 * offset + *from_start;
            } else {
                // The old form counts from the highest bit of a storage unit.
                const u64 unit = 8 * number_of(child, DW_AT_byte_size).value_or(part.size);
                first = 8 * offset + unit - number_of(child, DW_AT_bit_offset).value_or(0) - *bits;
            }
            part.offset = first / 8;
            part.bit = static_cast<unsigned>(first % 8);
            part.bits = static_cast<unsigned>(*bits);
            part.size = (part.bit + *bits + 7) / 8;
        }
        found.push_back(part);
        return true;
    });
    return found;
}

}  // namespace memspy::report::names
