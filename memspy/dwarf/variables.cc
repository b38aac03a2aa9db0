// SPDX-License-Identifier: GPL-2.0-or-later
#include "dwarf/variables.h"

#include "dwarf/unit.h"

namespace memspy::dwarf {
namespace {

enum Tag : u16 {
    kArray = 0x01,
    kClass = 0x02,
    kParameter = 0x05,
    kLexicalBlock = 0x0b,
    kMember = 0x0d,
    kPointer = 0x0f,
    kReference = 0x10,
    kStructure = 0x13,
    kTypedef = 0x16,
    kUnion = 0x17,
    kInheritance = 0x1c,
    kInlined = 0x1d,
    kModule = 0x1e,
    kSubrange = 0x21,
    kCatch = 0x25,
    kConst = 0x26,
    kSubprogram = 0x2e,
    kTry = 0x32,
    kVariable = 0x34,
    kVolatile = 0x35,
    kRestrict = 0x37,
    kNamespace = 0x39,
    kRvalueReference = 0x42,
    kAtomic = 0x47
};

// Limits steps through scopes, types and abstract origins, which may be cyclic in a damaged file.
constexpr unsigned kMostSteps = 64;

#if defined(__x86_64__)
constexpr u8 kFramePointer = 6, kStackPointer = 7;
#else
constexpr u8 kFramePointer = 29, kStackPointer = 31;
#endif

#if defined(__x86_64__)
constexpr u8 kBase = 3;  // clang's, for functions with alloca whose frames are aligned
#endif

enum class Anchor : u8 { None, End, StackPointer, FramePointer, Base };

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

Anchor anchor_of(u64 machine_register) {
#if defined(__x86_64__)
    if (machine_register == kBase) return Anchor::Base;
#endif
    return machine_register == kFramePointer   ? Anchor::FramePointer
           : machine_register == kStackPointer ? Anchor::StackPointer
                                               : Anchor::None;
}

VariableLocation location_of(FileBytes expression, const FramePlace& frame_base) {
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
                 .place = {anchor_of(number), offset},
                 .points_by_register = offset == 0,
                 .number = number};
    } else if (operation == kCallFrameEnd) {
        found.kind = PlaceKind::Frame;
        found.place = {Anchor::End, 0};
    } else if (operation >= kReg0 && operation < kReg0 + 32) {
        found.kind = PlaceKind::Register;
        found.number = operation - kReg0;
    }
    if (found.kind == PlaceKind::Frame && !cursor.at_end() && cursor.number(1) == kDereference) {
        found.kind = PlaceKind::PointerIn;
        found.points_by_register = false;
    }
    const bool is_all = !cursor.failed() && cursor.at() == expression.size;
    return is_all ? found : VariableLocation{};
}

// The place that a function's frame base names.
FramePlace base_of(FileBytes expression) {
    const VariableLocation found = location_of(expression, {});
    if (found.kind == PlaceKind::Register) return {anchor_of(found.number), 0};
    return found.kind == PlaceKind::Frame ? found.place : FramePlace{};
}

// The frame that a function's first instructions make, if they have the usual form.
struct FixedFrame {
    i64 size = 0;  // distance of the stack pointer from the frame's end, without arguments pushed and alloca
    i64 base = 0;  // distance of the base register; 0: it is none
};

FixedFrame fixed_frame(FileBytes code, u64 end) {
    FixedFrame frame;
#if defined(__x86_64__)
    Cursor cursor(code.from(0, 64));
    const i64 top = static_cast<i64>(end);
    i64 sp = top - 8;
    bool is_made = false;
    const auto is_next = [&](u64 wanted, unsigned bytes) {
        Cursor look = cursor;
        if (look.number(bytes) != wanted) return false;
        cursor = look;
        return true;
    };
    for (;;) {
        if (!is_made && (is_next(0xFA1E0FF3, 4) ||       // endbr64
                         is_next(0xE58948, 3) ||         // mov %rsp,%rbp
                         is_next(0x0824'548D'4C, 5))) {  // lea 8(%rsp),%r10
            continue;
        }
        if (is_next(0xE38948, 3)) {  // mov %rsp,%rbx
            frame.base = top - sp;
            continue;
        }
        if (is_made) break;
        if (is_next(0x50, 1) || is_next(0x53, 1) || is_next(0x55, 1) || is_next(0x5241, 2) ||
            is_next(0x5441, 2) || is_next(0x5541, 2) || is_next(0x5641, 2) || is_next(0x5741, 2) ||
            is_next(0xF872FF41, 4)) {  // push of a register, of -8(%r10)
            sp -= 8;
        } else if (is_next(0xE48348, 3)) {  // and
            sp &= static_cast<signed char>(cursor.number(1));
        } else if (is_next(0xE48148, 3)) {
            sp &= static_cast<i32>(cursor.number(4));
        } else if (is_next(0xEC8348, 3)) {  // sub
            sp -= static_cast<signed char>(cursor.number(1));
            is_made = true;
        } else if (is_next(0xEC8148, 3)) {
            sp -= static_cast<i32>(cursor.number(4));
            is_made = true;
        } else if (is_next(0x80C48348, 4)) {  // add $-128,%rsp
            sp -= 128;
            is_made = true;
        } else {
            break;
        }
    }
    frame.size = top - sp;
#else
    static_cast<void>(code);
    static_cast<void>(end);
#endif
    return frame;
}

class VariableSearch {
public:
    VariableSearch(const Sections& sections, const InfoUnit& unit, const FrameByte& byte)
        : sections_(sections), unit_(unit), byte_(byte) {}
    bool run(rt::Text& text) {
        if (unit_.root().has_children) visit(unit_.root(), 0);
        if (found_ == FoundBy::Nothing || (found_ == FoundBy::Start && unknown_starts_)) return false;
        add_name(text);
        return true;
    }

private:
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
                    if (!child.has_children || !unit_.has_code(child) || !unit_.covers(child, byte_.pc))
                        break;
                    enter(child, depth);
                    break;
                default: break;
            }
        }
    }

    void enter(const Entry& scope, unsigned depth) {
        const FramePlace before_base = frame_base_;
        const u64 before_inlined = inlined_;
        if (scope.tag == kSubprogram) {
            frame_base_ = base_of(unit_.location(scope[AttributeName::FrameBase], byte_.pc));
            inlined_ = 0;
            fixed_ = fixed_frame(sections_.code_at(unit_.entry_point(scope)), byte_.end);
        } else if (scope.tag == kInlined) {
            inlined_ = scope.offset;
        }
        visit(scope, depth + 1);
        frame_base_ = before_base;
        inlined_ = before_inlined;
    }

    // How a variable was found; the better ones last.
    enum class FoundBy : u8 {
        Nothing,
        Pointer,  // it points to the byte, which is memory from alloca
        Start,    // it has no constant length, and a pointer leads to its start
        Place
    };

    // from_stack_pointer - from_end; arguments that are pushed and alloca make it larger than the fixed size.
    i64 present_size() const { return byte_.from_stack_pointer - byte_.from_end; }

    // The place's distance from the frame's end.
    bool distance_of(const FramePlace& place, i64* distance) const {
        switch (place.anchor) {
            case Anchor::None: return false;
            case Anchor::End: *distance = place.offset; return true;
            case Anchor::FramePointer:
                *distance = place.offset + byte_.from_end - byte_.from_frame_pointer;
                return true;
            case Anchor::Base: *distance = place.offset - fixed_.base; return fixed_.base != 0;
            case Anchor::StackPointer: *distance = place.offset - present_size(); break;
        }
#if defined(__x86_64__)
        return present_size() == fixed_.size;
#else
        return true;
#endif
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
        const VariableLocation location = location_of(expression, frame_base_);
        Entry type;
        const bool typed = type_of(variable, &type);
        const bool has_length = !typed || !is_variable_length(type);
        if (!has_length) unknown_starts_ = unknown_starts_ || !is_start_known(location);
        if (expression.empty()) return;
        const u64 size = typed ? size_of(type, 0) : 0;
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

    // The byte is in memory that the function took after it had made its frame.
    bool is_below_fixed() const {
        for (u32 i = 0; i < byte_.pointers.count; ++i)
            if (byte_.pointers.slots[i] <= byte_.from_end) return false;
#if defined(__x86_64__)
        return byte_.from_stack_pointer < present_size() - fixed_.size;
#else
        return byte_.from_frame_pointer < 0;
#endif
    }

    // An array whose first dimension is not constant.
    bool is_variable_length(const Entry& type) const {
        bool any = false;
        if (type.tag == kArray) for_each_dimension(type, [&](u64 count) { any = any || count == 0; });
        return any;
    }

    // The attribute of the entry, or of the entry that it is an instance of.
    Attribute inherited(const Entry& entry, AttributeName name) const {
        Entry at = entry;
        for (unsigned step = 0; step < kMostSteps; ++step) {
            if (at[name].is_there()) return at[name];
            u64 origin = unit_.reference(at[AttributeName::AbstractOrigin]);
            if (origin == 0) origin = unit_.reference(at[AttributeName::Specification]);
            if (origin == 0 || !unit_.read(origin, &at)) break;
        }
        return {};
    }

    // The type of a variable or member, without typedefs and qualifiers.
    bool type_of(const Entry& entry, Entry* type) const {
        u64 at = unit_.reference(inherited(entry, AttributeName::Type));
        for (unsigned step = 0; step < kMostSteps && at != 0; ++step) {
            if (!unit_.read(at, type)) return false;
            const u16 tag = type->tag;
            if (tag != kTypedef && tag != kConst && tag != kVolatile && tag != kRestrict && tag != kAtomic)
                return true;
            at = unit_.reference((*type)[AttributeName::Type]);
        }
        return false;
    }

    // 0: not known
    u64 size_of(const Entry& type, unsigned depth) const {
        if (depth == kMostSteps) return 0;
        const i64 size = unit_.constant(type[AttributeName::ByteSize], 0);
        if (size > 0) return static_cast<u64>(size);
        if (type.tag == kPointer || type.tag == kReference || type.tag == kRvalueReference) return 8;
        Entry element;
        if (type.tag != kArray || !type_of(type, &element)) return 0;
        u64 all = size_of(element, depth + 1);
        for_each_dimension(type, [&](u64 count) { all *= count; });
        return all;
    }

    template <typename F>
    void for_each_dimension(const Entry& array, F f) const {
        Entry dimension;
        for (u64 at = array.has_children ? array.next : 0;
             at != 0 && unit_.read(at, &dimension) && dimension.tag != 0; at = unit_.after(dimension)) {
            if (dimension.tag != kSubrange) continue;
            const i64 count = unit_.constant(dimension[AttributeName::Count], -1);
            const i64 bound = unit_.constant(dimension[AttributeName::UpperBound], -1);
            f(static_cast<u64>(count >= 0 ? count : bound + 1));
        }
    }

    void add_name(rt::Text& text) const {
        const char* name = unit_.text(inherited(variable_, AttributeName::Name));
        rt::Text path;
        path.add(name == nullptr ? "a variable without a name" : name);
        bool padding = false;
        Entry type, element;
        const bool typed = type_of(variable_, &type);
        if (found_ == FoundBy::Pointer) {
            const u64 size = type_of(type, &element) ? size_of(element, 0) : 0;
            if (size == 0 || offset_ % size + byte_.bytes > size) {
                text.add("memory from alloca, to which `").add(path.c_str()).add("` points");
                return;
            }
            path.add('[').add_plain(offset_ / size).add(']');
            if (offset_ % size != 0) add_part(path, element, offset_ % size);
            text.add("memory from alloca, `").add(path.c_str()).add('`');
            return;
        }
        if (typed && (offset_ != 0 || is_variable_length(type))) padding = !add_part(path, type, offset_);
        text.add(padding ? "padding of variable `" : "variable `").add(path.c_str()).add('`');
        Entry call;
        if (found_inlined_ == 0 || !unit_.read(found_inlined_, &call)) return;
        if (const char* function = unit_.text(inherited(call, AttributeName::Name)))
            text.add(" of ").add(function).add(", inlined");
    }

    // Appends the member or element at `offset`, down to the smallest part. Returns false if the offset is in
    // none of a structure's members.
    bool add_part(rt::Text& path, Entry type, u64 offset) const {
        for (unsigned step = 0; step < kMostSteps; ++step) {
            if (type.tag == kArray) {
                Entry element;
                if (!type_of(type, &element)) return true;
                // The size of one element, then of all dimensions behind each; 0 for the first of variable length.
                u64 stride = size_of(element, 0);
                bool first = true, whole = stride == 0;
                for_each_dimension(type, [&](u64 count) {
                    if (!first) stride *= count;
                    first = false;
                });
                whole = whole || stride == 0;
                first = true;
                for_each_dimension(type, [&](u64 count) {
                    if (whole) return;
                    if (!first) stride /= count;
                    first = false;
                    whole = whole || offset % stride + byte_.bytes > stride;
                    if (whole) return;
                    path.add('[').add_plain(offset / stride).add(']');
                    offset %= stride;
                });
                if (whole) return true;
                type = element;
                continue;
            }
            if (type.tag != kStructure && type.tag != kClass) return true;
            Entry part, part_type;
            switch (find_part(type, offset, &part, &part_type)) {
                case PartFound::Padding: return false;
                case PartFound::Unclear: return true;
                case PartFound::Yes: break;
            }
            if (const char* name = unit_.text(part[AttributeName::Name]);
                name != nullptr && part.tag == kMember)
                path.add('.').add(name);
            offset -= static_cast<u64>(unit_.constant(part[AttributeName::DataMemberLocation], 0));
            type = part_type;
        }
        return true;
    }

    enum class PartFound : u8 { Yes, Padding, Unclear };
    PartFound find_part(const Entry& structure, u64 offset, Entry* part, Entry* type) const {
        PartFound found = PartFound::Padding;
        for (u64 at = structure.has_children ? structure.next : 0; at != 0; at = unit_.after(*part)) {
            if (!unit_.read(at, part)) return PartFound::Unclear;
            if (part->tag == 0) break;
            if ((part->tag != kMember && part->tag != kInheritance) ||
                (*part)[AttributeName::Declaration].is_there())
                continue;
            if (!type_of(*part, type)) return PartFound::Unclear;
            u64 start = static_cast<u64>(unit_.constant((*part)[AttributeName::DataMemberLocation], 0));
            u64 size = size_of(*type, 0);
            if (const i64 bits = unit_.constant((*part)[AttributeName::BitSize], 0); bits > 0) {
                // Several may share a byte.
                if (const i64 first = unit_.constant((*part)[AttributeName::DataBitOffset], -1); first >= 0) {
                    start = static_cast<u64>(first) / 8;
                    size = static_cast<u64>(first + bits + 7) / 8 - start;
                }
                if (start < offset + byte_.bytes && offset < start + size) return PartFound::Unclear;
                continue;
            }
            // A base's tail may hold members of the class itself, and an empty base shares the bytes of any
            // of them.
            if (part->tag == kInheritance && size <= 1) continue;
            if (size == 0) found = PartFound::Unclear;
            if (offset >= start && offset + byte_.bytes <= start + size) return PartFound::Yes;
            if (start < offset + byte_.bytes && offset < start + size) return PartFound::Unclear;
        }
        return found;
    }

    const Sections& sections_;
    const InfoUnit& unit_;
    const FrameByte& byte_;
    FramePlace frame_base_;
    FixedFrame fixed_;
    u64 inlined_ = 0;  // the inlined call that is searched, an entry; 0: none
    FoundBy found_ = FoundBy::Nothing;
    bool unknown_starts_ = false;  // of an array of variable length, which may hold the byte
    u64 found_inlined_ = 0;        // that of the variable
    Entry variable_;
    u64 offset_ = 0;
};

// The unit's offset by .debug_aranges, which GCC writes. 0: not there (the unit at offset 0 is found by
// searching all units).
u64 unit_by_aranges(const Sections& sections, u64 pc) {
    for (Cursor cursor(sections.aranges); !cursor.at_end();) {
        const u64 length = cursor.number(4);
        if (length >= 0xFFFF'FFF0) return 0;
        const u64 start = cursor.at();
        Cursor table(sections.aranges.from(0, start + length), start);
        table.number(2);
        const u64 unit = table.number(4);
        table.number(2);
        table.block((start + 8 - (start - 4) + 15) / 16 * 16 - (start + 8 - (start - 4)));
        while (!table.at_end()) {
            const u64 begin = table.number(8), size = table.number(8);
            if (table.failed() || (begin == 0 && size == 0)) break;
            if (pc - begin < size) return unit;
        }
        cursor.block(length);
    }
    return 0;
}

}  // namespace

bool add_variable(rt::Text& text, const Sections& sections, const FrameByte& byte) {
    if (const u64 offset = unit_by_aranges(sections, byte.pc); offset != 0) {
        const InfoUnit unit(sections, offset);
        return unit.is_readable() && VariableSearch(sections, unit, byte).run(text);
    }
    for (u64 offset = 0; offset < sections.info.size;) {
        const InfoUnit unit(sections, offset);
        if (unit.end() <= offset) return false;
        if (unit.is_readable() && unit.covers(unit.root(), byte.pc))
            return VariableSearch(sections, unit, byte).run(text);
        offset = unit.end();
    }
    return false;
}

}  // namespace memspy::dwarf
