// SPDX-License-Identifier: GPL-2.0-or-later
#include "dwarf/variables.h"

#include <algorithm>

#include "dwarf/anchors.h"
#include "dwarf/fixed_frame.h"
#include "dwarf/types.h"
#include "dwarf/unit.h"

namespace memspy::dwarf {
namespace {

// A place of the frame: an anchor and a distance from it.
struct FramePlace {
    Anchor anchor = Anchor::None;
    i64 offset = 0;
};

enum class PlaceKind : u8 {
    None,
    Frame,      // to a place of the frame
    PointerIn,  // to where the word at a place of the frame points
    Register    // to a register
};

// Where an expression leads.
struct VariableLocation {
    PlaceKind kind = PlaceKind::None;
    FramePlace place;
    bool points_by_register = false;  // exactly to where a register points
    u64 number = 0;                   // of the register
};

VariableLocation location_of(FileBytes expression, const FramePlace& frame_base, Processor processor) {
    constexpr u64 kDereference = 0x06, kReg0 = 0x50, kBreg0 = 0x70, kFrameOffset = 0x91, kCallFrameEnd = 0x9c;
    Cursor cursor(expression);
    const u64 operation = cursor.number(1);
    VariableLocation found;
    if (operation == kFrameOffset) {
        found.kind = PlaceKind::Frame;
        found.place = frame_base;
        found.place.offset += cursor.sleb();
    } else if (operation >= kBreg0 && operation < kBreg0 + 32) {
        const u64 number = operation - kBreg0;
        const i64 offset = cursor.sleb();
        found = {.kind = PlaceKind::Frame,
                 .place = {anchor_of(number, processor), offset},
                 .points_by_register = offset == 0,
                 .number = number};
    } else if (operation == kCallFrameEnd) {
        found.kind = PlaceKind::Frame;
        found.place = {Anchor::End, 0};
    } else if (operation >= kReg0 && operation < kReg0 + 32) {
        found.kind = PlaceKind::Register;
        found.number = operation - kReg0;
    }
    if (found.kind == PlaceKind::Frame && !cursor.at_end()) {
        // Others follow the address of what a pointer points to, which is the variable, with "that is its
        // value".
        if (cursor.number(1) != kDereference) return {};
        found.kind = PlaceKind::PointerIn;
        found.points_by_register = false;
    }
    const bool is_all = !cursor.failed() && cursor.at() == expression.size;
    return is_all ? found : VariableLocation{};
}

// The place that a function's frame base names.
FramePlace base_of(FileBytes expression, Processor processor) {
    const VariableLocation found = location_of(expression, {}, processor);
    if (found.kind == PlaceKind::Register) {
        const Anchor anchor = anchor_of(found.number, processor);
        return {anchor == Anchor::StackPointer ? Anchor::FixedStackPointer : anchor, 0};
    }
    return found.kind == PlaceKind::Frame ? found.place : FramePlace{};
}

class VariableSearch {
public:
    VariableSearch(const Sections& sections, const InfoUnit& unit, const FrameByte& byte)
        : sections_(sections), unit_(unit), types_(unit), byte_(byte) {}
    bool run(rt::Text& text, DeclaredVariable* declared) {
        search();
        if (found_ == FoundBy::Nothing || (found_ == FoundBy::Start && unknown_starts_)) return false;
        add_name(text, declared);
        if (declared == nullptr) return true;
        declared->line = types_.inherited(variable_, AttributeName::DeclaredLine).number;
        unit_.add_file(declared->file, types_.inherited(variable_, AttributeName::DeclaredFile).number);
        return true;
    }
    FrameValidity list(void (*f)(const ListedVariable&, void*), void* argument, bool everywhere) {
        everywhere_ = everywhere;
        listener_ = f;
        argument_ = argument;
        search();
        return valid_;
    }
    SameScope list_function(u64 offset, void (*f)(const ListedVariable&, void*), void* argument) {
        listener_ = f;
        argument_ = argument;
        with_pointers_ = true;
        Entry function;
        if (!unit_.read(offset, &function) || !unit_.extent(function, &same_.begin, &same_.end) ||
            !unit_.covers(function, byte_.pc))
            return {};
        enter(function, 0);
        return same_;
    }

private:
    Processor processor() const { return sections_.processor; }

    void search() {
        Entry known;
        if (byte_.function.entry != 0 && unit_.read(byte_.function.entry, &known)) return enter(known, 0);
        if (!unit_.root().has_children) return;
        visit(unit_.root(), 0);
        if (!valid_.found) visit_nested(unit_.root(), 0);
    }

    // GCC puts the function of an OpenMP construct, and Fortran's internal ones, into the function around it,
    // whose code does not hold theirs. In a broken file an entry's children may not end where the next one
    // begins: none is looked at twice.
    void visit_nested(const Entry& parent, unsigned depth) {
        if (depth == kMostSteps) return;
        Entry child;
        for (u64 at = parent.next;
             at >= nested_end_ && !valid_.found && unit_.read(at, &child) && child.tag != 0;
             at = unit_.after(child)) {
            nested_end_ = at + 1;
            const bool is_scope = child.tag == kSubprogram || child.tag == kLexicalBlock ||
                                  child.tag == kNamespace || child.tag == kModule;
            if (!is_scope || !child.has_children) continue;
            if (child.tag == kSubprogram && unit_.has_code(child) && unit_.covers(child, byte_.pc))
                enter(child, depth);
            else
                visit_nested(child, depth + 1);
        }
    }

    // Looks at the children of an entry, and into those that hold the frame's code.
    void visit(const Entry& parent, unsigned depth) {
        if (depth == kMostSteps) return;
        Entry child;
        for (u64 at = parent.next; found_ != FoundBy::Place && unit_.read(at, &child) && child.tag != 0;
             at = unit_.after(child)) {
            switch (child.tag) {
                case kVariable:
                case kParameter: try_variable(child); break;
                case kNamespace:
                case kModule:
                    if (child.has_children) visit(child, depth + 1);
                    break;
                case kSubprogram:
                case kInlined:
                case kLexicalBlock:
                case kTry:
                case kCatch:
                    if (!child.has_children || !unit_.has_code(child)) break;
                    note_scope(child);
                    // Another function does not cut this one's code.
                    if (unit_.covers(child, byte_.pc) || (everywhere_ && child.tag != kSubprogram))
                        enter(child, depth);
                    else if (child.tag != kSubprogram)
                        cut_at(child);
                    break;
                default: break;
            }
        }
    }

    // Where a scope begins or ends, other variables are there.
    void note_scope(const Entry& scope) {
        SameScope code;
        if (!unit_.extent(scope, &code.begin, &code.end)) code = {byte_.pc, byte_.pc + 1};
        if (byte_.pc < code.begin)
            same_.end = std::min(same_.end, code.begin);
        else if (byte_.pc >= code.end)
            same_.begin = std::max(same_.begin, code.end);
        else
            same_ = {std::max(same_.begin, code.begin), std::min(same_.end, code.end)};
    }

    // The list is the same in all code that the scope has, or has not.
    void cut_at(const Entry& scope) {
        if (listener_ != nullptr) unit_.cut_at_code(scope, byte_.pc, &valid_.begin, &valid_.end);
    }

    void enter(const Entry& scope, unsigned depth) {
        cut_at(scope);
        const FramePlace before_base = frame_base_;
        const u64 before_inlined = inlined_, before_scope = scope_;
        scope_ = scope.offset;
        if (scope.tag == kSubprogram) {
            valid_.found = true;
            frame_base_ = base_of(unit_.location(scope[AttributeName::FrameBase], byte_.pc), processor());
            inlined_ = 0;
            entry_ = unit_.entry_point(scope);
            fixed_ = fixed_frame(sections_.code_at(entry_), byte_.end, processor());
        } else if (scope.tag == kInlined) {
            inlined_ = scope.offset;
        }
        if (scope.has_children) visit(scope, depth + 1);
        frame_base_ = before_base;
        inlined_ = before_inlined;
        scope_ = before_scope;
    }

    // How a variable was found; the better ones last.
    enum class FoundBy : u8 {
        Nothing,
        Pointer,  // it points to the byte, which is memory from alloca
        Start,    // it has no constant length, and a pointer leads to its start
        Place
    };

    // from_stack_pointer - from_end; arguments that are pushed and alloca make it larger than the fixed size.
    i64 present_size() const {
        valid_.by_size = true;
        return is_size_known() ? byte_.from_stack_pointer - byte_.from_end : fixed_.size;
    }
    bool is_size_known() const { return byte_.from_stack_pointer != FrameByte::kUnknownSize; }
    // Otherwise nothing shows that the function's first instructions are the usual ones.
    bool is_size_certain() const { return is_size_known() || fixed_.ends_by_sub; }

    // The place's distance from the frame's end.
    bool distance_of(const FramePlace& place, i64* distance) const {
        if (fixed_.is_aligned && place.anchor != Anchor::End) valid_.by_page = true;
        const bool by_stack_pointer =
            place.anchor == Anchor::StackPointer || place.anchor == Anchor::FixedStackPointer;
        // Code for ARM64 pushes no arguments: the stack pointer is the one that the place was told from.
        if (by_stack_pointer && processor() == Processor::Arm64 && is_size_known()) {
            *distance = place.offset - present_size();
            return true;
        }
        switch (place.anchor) {
            case Anchor::None: return false;
            case Anchor::End: *distance = place.offset; return true;
            case Anchor::FramePointer:
                if (byte_.from_frame_pointer == FrameByte::kUnknownFramePointer) {
                    *distance = place.offset - fixed_.pointer;
                    return fixed_.pointer != 0;
                }
                *distance = place.offset + byte_.from_end - byte_.from_frame_pointer;
                return true;
            case Anchor::Base: *distance = place.offset - fixed_.base; return fixed_.base != 0;
            case Anchor::StackPointer:
                *distance = place.offset - fixed_.size;
                return is_size_certain() && present_size() == fixed_.size;
            case Anchor::FixedStackPointer: {
                constexpr i64 kMostPushed = 128;
                const i64 pushed = present_size() - fixed_.size;
                *distance = place.offset - fixed_.size;
                return is_size_certain() && (pushed == 0 || (fixed_.ends_by_sub && pushed > 0 &&
                                                             pushed <= kMostPushed && pushed % 8 == 0));
            }
        }
        return false;
    }

    // The byte's offset in the variable at a place of the frame.
    bool offset_in(const VariableLocation& location, u64* offset) const {
        i64 distance = 0;
        if (location.kind != PlaceKind::Frame || !distance_of(location.place, &distance)) return false;
        *offset = static_cast<u64>(byte_.from_end - distance);
        return byte_.from_end >= distance;
    }

    // The byte's offset from where a pointer leads: the one in the word at a place of the frame or in a
    // register, or, if `in_word` is false, the one that the location itself is made of.
    bool pointer_leads(const VariableLocation& location, bool in_word, u64* offset) const {
        if (!is_below_fixed()) return false;
        if (in_word && (location.kind == PlaceKind::Frame || location.kind == PlaceKind::PointerIn)) {
            i64 distance = 0;
            *offset = byte_.pointers.beyond_slots;
            if (!distance_of(location.place, &distance)) return false;
            for (u32 i = 0; i < byte_.pointers.count; ++i)
                if (byte_.pointers.slots[i] == distance) return true;
            return false;
        }
        const bool leads = in_word ? location.kind == PlaceKind::Register : location.points_by_register;
        *offset = byte_.pointers.beyond_registers;
        return leads && (byte_.pointers.registers >> location.number & 1) != 0;
    }

    // The start of an array is one of those that the pointers to the byte were chosen from.
    bool is_start_known(const VariableLocation& location) const {
        return location.kind == PlaceKind::PointerIn ||
               (location.points_by_register && (byte_.pointers.registers >> location.number & 1) != 0);
    }

    void try_variable(const Entry& variable) {
        const FileBytes expression = unit_.location(variable[AttributeName::Location], byte_.pc);
        const VariableLocation location = location_of(expression, frame_base_, processor());
        Entry type;
        const bool typed = types_.type_of(variable, &type);
        if (everywhere_) return tell_everywhere(variable, typed ? &type : nullptr);
        if (listener_ != nullptr) return tell(variable, location, typed ? &type : nullptr);
        const bool has_length = !typed || !types_.is_variable_length(type);
        if (!has_length) unknown_starts_ = unknown_starts_ || !is_start_known(location);
        if (expression.empty()) return;
        const u64 size = typed ? types_.size_of(type) : 0;
        u64 offset = 0;
        FoundBy by = FoundBy::Nothing;
        if (offset_in(location, &offset)) {
            const bool fits = offset + byte_.bytes <= size || (offset == 0 && byte_.bytes == 1);
            if (fits) by = FoundBy::Place;
        } else if (pointer_leads(location, location.kind == PlaceKind::PointerIn, &offset)) {
            if (!has_length) by = FoundBy::Start;
        } else if (pointer_leads(location, true, &offset)) {
            if (typed && type.tag == kPointer) by = FoundBy::Pointer;
        }
        if (by <= found_) return;
        found_ = by;
        found_inlined_ = inlined_;
        variable_ = variable;
        offset_ = offset;
    }

    // Of a variable that is in the frame in some code and not in other, the list is that of the code around.
    void cut_at_locations(const Entry& variable) const {
        unit_.for_each_location(
            variable[AttributeName::Location],
            [](u64 begin, u64 end, FileBytes expression, void* argument) {
                auto& search = *static_cast<const VariableSearch*>(argument);
                if (location_of(expression, search.frame_base_, search.processor()).kind == PlaceKind::Frame)
                    cut_range(search.byte_.pc, begin, end, &search.valid_.begin, &search.valid_.end);
                return true;
            },
            const_cast<VariableSearch*>(this));
    }

    void tell_everywhere(const Entry& variable, const Entry* type) const {
        struct ToldPlaces {
            const VariableSearch& search;
            const Entry& variable;
            const Entry* type;
        } told{*this, variable, type};
        unit_.for_each_location(
            variable[AttributeName::Location],
            [](u64, u64, FileBytes expression, void* argument) {
                const ToldPlaces& t = *static_cast<ToldPlaces*>(argument);
                t.search.tell(t.variable, location_of(expression, t.search.frame_base_, t.search.processor()),
                              t.type);
                return true;
            },
            &told);
    }

    void tell(const Entry& variable, const VariableLocation& location, const Entry* type) const {
        ListedVariable told;
        cut_at_locations(variable);
        if (with_pointers_ && location.kind == PlaceKind::PointerIn) return tell_hidden(location);
        const u64 size = type == nullptr ? 0 : types_.size_of(*type);
        if (size == 0 || location.kind != PlaceKind::Frame || !distance_of(location.place, &told.from_end))
            return;
        told.name = unit_.text(types_.inherited(variable, AttributeName::Name));
        told.line = types_.inherited(variable, AttributeName::DeclaredLine).number;
        // The compiler's own variables are declared nowhere.
        told.points = type->tag == kPointer || type->tag == kReference || type->tag == kRvalueReference;
        if (told.name == nullptr || (told.line == 0 && !(with_pointers_ && told.points))) return;
        told.type = type->offset;
        told.scope = scope_;
        told.bytes = size;
        told.shape = types_.shape_of(*type);
        told.entry = entry_;
        told.unit = unit_.start();
        told.file = types_.inherited(variable, AttributeName::DeclaredFile).number;
        if (Entry call; inlined_ != 0 && unit_.read(inlined_, &call))
            told.function = unit_.text(types_.inherited(call, AttributeName::Name));
        listener_(told, argument_);
    }

    // Fortran's arguments are pointers that the source has no name for.
    void tell_hidden(const VariableLocation& location) const {
        ListedVariable told;
        if (!distance_of(location.place, &told.from_end)) return;
        told.name = "";
        told.bytes = 8;
        told.points = true;
        listener_(told, argument_);
    }

    // The byte is in memory that the function took after it had made its frame.
    bool is_below_fixed() const {
        for (u32 i = 0; i < byte_.pointers.count; ++i)
            if (byte_.pointers.slots[i] <= byte_.from_end) return false;
        return byte_.from_stack_pointer < present_size() - fixed_.size;
    }

    void add_name(rt::Text& text, DeclaredVariable* declared) const {
        const char* name = unit_.text(types_.inherited(variable_, AttributeName::Name));
        rt::Text path;
        path.add(name == nullptr ? "a variable without a name" : name);
        bool padding = false;
        Entry type, element;
        const bool typed = types_.type_of(variable_, &type);
        if (found_ == FoundBy::Pointer) {
            const u64 size = types_.type_of(type, &element) ? types_.size_of(element) : 0;
            if (size == 0 || offset_ % size + byte_.bytes > size) {
                text.add("memory from alloca, to which `").add(path.c_str()).add("` points");
                return;
            }
            path.add('[').add_plain(offset_ / size).add(']');
            if (offset_ % size != 0) types_.add_part(path, element, offset_ % size, byte_.bytes);
            text.add("memory from alloca, `").add(path.c_str()).add('`');
            return;
        }
        if (typed && (offset_ != 0 || declared != nullptr || types_.is_variable_length(type))) {
            Entry part;
            padding = !types_.add_part(path, type, offset_, byte_.bytes, nullptr,
                                       declared == nullptr ? nullptr : &declared->element, &part);
            if (declared != nullptr && !padding && types_.is_pointer(part))
                types_.describe_target(part, &declared->target);
        }
        text.add(padding ? "padding of variable `" : "variable `").add(path.c_str()).add('`');
        Entry call;
        if (found_inlined_ == 0 || !unit_.read(found_inlined_, &call)) return;
        if (const char* function = unit_.text(types_.inherited(call, AttributeName::Name)))
            text.add(" of ").add(function).add(", inlined");
    }

    const Sections& sections_;
    const InfoUnit& unit_;
    TypeReader types_;
    const FrameByte& byte_;
    FramePlace frame_base_;
    FixedFrame fixed_;
    u64 entry_ = 0;                // of the function that is searched
    u64 inlined_ = 0, scope_ = 0;  // the inlined call and the scope that are searched, entries; 0: none
    u64 nested_end_ = 0;           // visit_nested() has been up to here
    FoundBy found_ = FoundBy::Nothing;
    bool unknown_starts_ = false;  // of an array of variable length, which may hold the byte
    u64 found_inlined_ = 0;        // that of the variable
    Entry variable_;
    u64 offset_ = 0;
    void (*listener_)(const ListedVariable&, void*) = nullptr;  // null: one byte's variable is looked for
    void* argument_ = nullptr;
    bool with_pointers_ = false;
    bool everywhere_ = false;      // in all scopes and code of the function
    SameScope same_;               // code with the same variables, as far as is known
    mutable FrameValidity valid_;  // of the list
};

}  // namespace

bool add_variable(rt::Text& text, const Sections& sections, const FrameByte& byte,
                  DeclaredVariable* declared) {
    return with_unit_of(sections, byte.pc, [&](const InfoUnit& unit) {
        return VariableSearch(sections, unit, byte).run(text, declared);
    });
}

static FrameValidity list_variables(const Sections& sections, const FrameByte& frame, bool everywhere,
                                    void (*f)(const ListedVariable&, void*), void* argument) {
    FrameValidity valid{.begin = frame.pc, .end = frame.pc + 1};
    const auto list = [&](const InfoUnit& unit) {
        valid = VariableSearch(sections, unit, frame).list(f, argument, everywhere);
        return true;
    };
    if (frame.function.entry == 0)
        with_unit_of(sections, frame.pc, list);
    else
        list(InfoUnit(sections, frame.function.unit));
    return valid;
}
FrameValidity for_each_variable(const Sections& sections, const FrameByte& frame,
                                void (*f)(const ListedVariable&, void*), void* argument) {
    return list_variables(sections, frame, false, f, argument);
}
FrameValidity for_each_place(const Sections& sections, const FrameByte& frame,
                             void (*f)(const ListedVariable&, void*), void* argument) {
    return list_variables(sections, frame, true, f, argument);
}

SameScope for_each_variable_of(const InfoUnit& unit, const Sections& sections, u64 function,
                               const FrameByte& frame, void (*f)(const ListedVariable&, void*),
                               void* argument) {
    return VariableSearch(sections, unit, frame).list_function(function, f, argument);
}

}  // namespace memspy::dwarf
