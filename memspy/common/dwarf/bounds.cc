// SPDX-License-Identifier: GPL-2.0-or-later
#include "dwarf/bounds.h"

#include "dwarf/static_walk.h"
#include "dwarf/types.h"

namespace memspy::dwarf {
namespace {

constexpr u16 kCallSite = 0x48, kGnuCallSite = 0x4109;  // written for optimised code only

const char* next_option(const char* text) {
    while (*text != '\0' && !(text[0] == ' ' && text[1] == '-')) ++text;
    return *text == '\0' ? nullptr : text + 2;
}

// What GCC's description of itself says. "GNU C17 12.2.0 -mtune=generic -g -O2"
enum class Told : u8 { Nothing, Plain, Optimised };
Told told_by_options(const InfoUnit& unit) {
    const char* text = unit.text(unit.root()[AttributeName::Producer]);
    if (text == nullptr || text[0] != 'G' || text[1] != 'N' || text[2] != 'U') return Told::Nothing;
    Told told = Told::Nothing;
    for (const char* option = next_option(text); option != nullptr; option = next_option(option)) {
        if (option[0] == 'O')
            told = option[1] == '0' ? Told::Plain : Told::Optimised;
        else if (told == Told::Nothing)
            told = Told::Plain;
    }
    return told;
}

class FunctionReader {
public:
    FunctionReader(const InfoUnit& unit, void (*f)(const CodeFunction&, void*), void* argument)
        : unit_(unit), types_(unit), told_(told_by_options(unit)), listener_(f), argument_(argument) {}

    void run() {
        if (told_ == Told::Nothing) {
            look_only_ = true;
            visit(unit_.root(), 0);
            look_only_ = false;
        }
        visit(unit_.root(), 0);
    }

private:
    u64 visit(const Entry& parent, unsigned depth) {
        if (!parent.has_children) return parent.next;
        if (depth == kMostSteps) return unit_.after(parent);
        Entry child;
        u64 at = parent.next;
        while (unit_.read(at, &child)) {
            if (child.tag == 0) return child.next;
            switch (child.tag) {
                case kNamespace:
                case kModule: at = visit(child, depth + 1); break;
                case kSubprogram:
                    if (unit_.has_code(child)) meet(child);
                    [[fallthrough]];
                default: at = unit_.after(child); break;
            }
        }
        return unit_.end();
    }

    void meet(const Entry& function) {
        CodeFunction met;
        met.plain = has_plain_places(function, 0) && (told_ != Told::Nothing || has_frame_pointer(function));
        if (!met.plain) plain_unit_ = false;
        if (look_only_ || !unit_.extent(function, &met.begin, &met.end)) return;
        met.plain &= told_ == Told::Plain || (told_ == Told::Nothing && plain_unit_);
        met.folds = told_ == Told::Nothing;
        met.entry = function.offset;
        met.name = unit_.text(types_.inherited(function, AttributeName::Name));
        listener_(met, argument_);
    }

    bool has_frame_pointer(const Entry& function) const {
        const FileBytes base = unit_.location(function[AttributeName::FrameBase], 0);
#if defined(__x86_64__)
        constexpr u8 kFramePointer = 0x56;
        return base.size == 1 && base.data[0] == kFramePointer;
#else
        return base.size == 1;
#endif
    }

    // For an array of variable length Clang writes a list always: its place is known from its declaration on.
    bool has_variable_length(const Entry& variable) const {
        Entry type;
        return types_.type_of(variable, &type) && type.tag == kArray && types_.size_of(type) == 0;
    }

    // Without optimisation every parameter and variable has one place.
    bool has_plain_places(const Entry& scope, unsigned depth) const {
        if (!scope.has_children) return true;
        if (depth == kMostSteps) return false;
        Entry child;
        for (u64 at = scope.next; unit_.read(at, &child) && child.tag != 0; at = unit_.after(child)) {
            switch (child.tag) {
                case kParameter:
                    if (!child[AttributeName::Location].is_there()) return false;
                    [[fallthrough]];
                case kVariable:
                    if (InfoUnit::is_list(child[AttributeName::Location]) && !has_variable_length(child))
                        return false;
                    break;
                case kCallSite:
                case kGnuCallSite: return false;
                case kLexicalBlock:
                case kTry:
                case kCatch:
                    if (!has_plain_places(child, depth + 1)) return false;
                    break;
                default: break;
            }
        }
        return true;
    }

    const InfoUnit& unit_;
    TypeReader types_;
    const Told told_;
    bool look_only_ = false, plain_unit_ = true;
    void (*listener_)(const CodeFunction&, void*);
    void* argument_;
};

class StaticReader {
public:
    StaticReader(const InfoUnit& unit, void (*f)(const StaticVariable&, void*), void* argument)
        : unit_(unit), types_(unit), listener_(f), argument_(argument) {}

    struct BoundsScope {
        const char* function = nullptr;
        bool is_common = false;
    };
    BoundsScope inside(BoundsScope scope, const Entry& entry) const {
        if (entry.tag == kSubprogram)
            scope.function = unit_.text(types_.inherited(entry, AttributeName::Name));
        if (entry.tag == kCommonBlock) scope.is_common = true;
        return scope;
    }
    // Members of COMMON blocks are not told.
    bool meet(const Entry& variable, const BoundsScope& scope) const {
        if (!scope.is_common) tell(variable, scope.function);
        return true;
    }

private:
    void tell(const Entry& variable, const char* function) const {
        constexpr u64 kAddress = 0x03, kIndexedAddress = 0xa1;
        Cursor cursor(unit_.location(variable[AttributeName::Location], 0));
        const u64 operation = cursor.number(1);
        StaticVariable told;
        if (operation == kAddress)
            told.begin = cursor.number(8);
        else if (operation == kIndexedAddress)
            told.begin = unit_.indexed_address(cursor.uleb());
        Entry type;
        if (told.begin == 0 || cursor.failed() || !cursor.at_end() || !types_.type_of(variable, &type))
            return;
        told.bytes = types_.size_of(type);
        told.name = unit_.text(types_.inherited(variable, AttributeName::Name));
        told.function = function;
        told.type = type.offset;
        if (told.bytes != 0 && told.name != nullptr) listener_(told, argument_);
    }

    const InfoUnit& unit_;
    TypeReader types_;
    void (*listener_)(const StaticVariable&, void*);
    void* argument_;
};

// Whether f(type, offset in it) is true of a member of the structure that holds the byte.
template <typename F>
bool any_member_at(const InfoUnit& unit, const TypeReader& types, const Entry& type, u64 offset, F f) {
    Entry member, inner;
    for (u64 at = type.has_children ? type.next : 0; at != 0 && unit.read(at, &member) && member.tag != 0;
         at = unit.after(member)) {
        if ((member.tag != kMember && member.tag != kInheritance) || !types.type_of(member, &inner)) continue;
        const u64 begin = static_cast<u64>(unit.constant(member[AttributeName::DataMemberLocation], 0));
        if (offset < begin || offset - begin >= types.size_of(inner)) continue;
        if (f(inner, offset - begin)) return true;
    }
    return false;
}

// GCC adds a part of a member's distance to the index: `x.values[i]` from the start of x.
bool has_array_from(const InfoUnit& unit, const TypeReader& types, const Entry& type, u64 offset) {
    Entry member, inner;
    for (u64 at = type.has_children ? type.next : 0; at != 0 && unit.read(at, &member) && member.tag != 0;
         at = unit.after(member))
        if (member.tag == kMember && types.type_of(member, &inner) && inner.tag == kArray &&
            static_cast<u64>(unit.constant(member[AttributeName::DataMemberLocation], 0)) >= offset)
            return true;
    return false;
}

bool is_record(const Entry& type) {
    return type.tag == kStructure || type.tag == kClass || type.tag == kUnion;
}

bool is_base(const InfoUnit& unit, const TypeReader& types, const Entry& type, u64 offset, unsigned depth) {
    if (depth == kMostSteps) return false;
    if (is_record(type))
        return has_array_from(unit, types, type, offset) ||
               any_member_at(unit, types, type, offset, [&](const Entry& inner, u64 inside) {
                   return is_base(unit, types, inner, inside, depth + 1);
               });
    Entry element;
    if (type.tag != kArray || !types.type_of(type, &element)) return false;
    const u64 size = types.size_of(element);
    if (size == 0) return false;
    if (offset < size || offset < types.stride_of(type)) return true;
    // The start of a row: one index is constant, and another is not.
    const u64 row = types.row_of(type);
    if (row > size && row < types.size_of(type) && offset % row < size) return true;
    return is_base(unit, types, element, offset % size, depth + 1);
}

bool is_pointer(const InfoUnit& unit, const TypeReader& types, const Entry& type, u64 offset,
                unsigned depth) {
    if (depth == kMostSteps) return false;
    if (is_record(type))
        return any_member_at(unit, types, type, offset, [&](const Entry& inner, u64 inside) {
            return is_pointer(unit, types, inner, inside, depth + 1);
        });
    return offset == 0 && (type.tag == kPointer || type.tag == kReference || type.tag == kRvalueReference);
}

}  // namespace

void for_each_function(const InfoUnit& unit, void (*f)(const CodeFunction&, void*), void* argument) {
    FunctionReader(unit, f, argument).run();
}

void for_each_static(const InfoUnit& unit, void (*f)(const StaticVariable&, void*), void* argument) {
    StaticReader reader(unit, f, argument);
    walk_statics(unit, unit.root(), StaticReader::BoundsScope(), reader);
}

bool is_index_base(const InfoUnit& unit, u64 type, u64 offset) {
    Entry entry;
    return unit.read(type, &entry) && is_base(unit, TypeReader(unit), entry, offset, 0);
}

bool is_pointer_part(const InfoUnit& unit, u64 type, u64 offset) {
    Entry entry;
    return unit.read(type, &entry) && is_pointer(unit, TypeReader(unit), entry, offset, 0);
}

}  // namespace memspy::dwarf
