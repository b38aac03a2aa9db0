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

enum class Anchor : u8 { None, End, StackPointer, FramePointer };

// A place of the frame: an anchor and a distance from it.
struct FramePlace {
    Anchor anchor = Anchor::None;
    i64 offset = 0;
};

Anchor anchor_of(u64 machine_register) {
    return machine_register == kFramePointer   ? Anchor::FramePointer
           : machine_register == kStackPointer ? Anchor::StackPointer
                                               : Anchor::None;
}

// The place given by an expression of one operation.
FramePlace place_of(FileBytes expression, const FramePlace& frame_base) {
    constexpr u64 kReg0 = 0x50, kBreg0 = 0x70, kFrameOffset = 0x91, kCallFrameEnd = 0x9c;
    Cursor cursor(expression);
    const u64 operation = cursor.number(1);
    FramePlace place;
    if (operation == kFrameOffset) {
        place = frame_base;
        place.offset += cursor.sleb();
    } else if (operation >= kBreg0 && operation < kBreg0 + 32) {
        place = {anchor_of(operation - kBreg0), cursor.sleb()};
    } else if (operation == kCallFrameEnd) {
        place = {Anchor::End, 0};
    } else if (operation >= kReg0 && operation < kReg0 + 32) {
        place = {anchor_of(operation - kReg0), 0};
    }
    const bool is_all = !cursor.failed() && cursor.at() == expression.size;
    return is_all ? place : FramePlace{};
}

// The distance of the stack pointer from the frame's end after the function has made its frame, by its first
// instructions; 0 if they do not have the usual form. While arguments are pushed the distance is larger, and
// debug information relative to the stack pointer is wrong.
i64 frame_size(FileBytes code) {
#if defined(__x86_64__)
    Cursor cursor(code.from(0, 64));
    i64 size = 8;
    for (;;) {
        u64 byte = cursor.number(1);
        if (byte == 0xF3 && cursor.number(3) == 0xFA1E0F) continue;  // endbr64
        const bool extended = byte == 0x41;
        if (extended) byte = cursor.number(1);
        const bool is_push =
            extended ? byte >= 0x54 && byte <= 0x57 : byte == 0x50 || byte == 0x53 || byte == 0x55;
        if (is_push) {
            size += 8;
            continue;
        }
        if (byte != 0x48) return size;
        byte = cursor.number(1);
        if (byte == 0x89 && cursor.number(1) == 0xE5) continue;  // mov %rsp,%rbp
        const u64 subtracts = cursor.number(1);
        if (byte == 0x83 && subtracts == 0xEC) return size + static_cast<i64>(cursor.number(1));
        if (byte == 0x81 && subtracts == 0xEC) return size + static_cast<i64>(cursor.number(4));
        if (byte == 0x83 && subtracts == 0xC4 && cursor.number(1) == 0x80)
            return size + 128;  // add $-128,%rsp
        return size;
    }
#else
    static_cast<void>(code);
    return 0;
#endif
}

class VariableSearch {
public:
    VariableSearch(const Sections& sections, const InfoUnit& unit, const FrameByte& byte)
        : sections_(sections), unit_(unit), byte_(byte) {}
    bool run(rt::Text& text) {
        if (unit_.root().has_children) visit(unit_.root(), 0);
        if (!found_) return false;
        add_name(text);
        return true;
    }

private:
    // Looks at the children of an entry, and into those that hold the frame's code.
    void visit(const Entry& parent, unsigned depth) {
        if (depth == kMostSteps) return;
        Entry child;
        for (u64 at = parent.next; !found_ && unit_.read(at, &child) && child.tag != 0;
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
            frame_base_ = place_of(unit_.location(scope[AttributeName::FrameBase], byte_.pc), {});
            inlined_ = 0;
            start_ = unit_.entry_point(scope);
        } else if (scope.tag == kInlined) {
            inlined_ = scope.offset;
        }
        visit(scope, depth + 1);
        if (found_) return;
        frame_base_ = before_base;
        inlined_ = before_inlined;
    }

    bool offset_from(const FramePlace& place, i64* offset) const {
        switch (place.anchor) {
            case Anchor::None: return false;
            case Anchor::End: *offset = byte_.from_end - place.offset; return true;
            case Anchor::FramePointer: *offset = byte_.from_frame_pointer - place.offset; return true;
            case Anchor::StackPointer: *offset = byte_.from_stack_pointer - place.offset; break;
        }
#if defined(__x86_64__)
        // from_stack_pointer - from_end is the present size of the frame.
        return byte_.from_stack_pointer - byte_.from_end == frame_size(sections_.code_at(start_));
#else
        return true;
#endif
    }

    void try_variable(const Entry& variable) {
        const FileBytes expression = unit_.location(variable[AttributeName::Location], byte_.pc);
        i64 offset = 0;
        if (expression.empty() || !offset_from(place_of(expression, frame_base_), &offset) || offset < 0)
            return;
        Entry type;
        const bool typed = type_of(variable, &type);
        const u64 size = typed ? size_of(type, 0) : 0;
        if ((offset != 0 || byte_.bytes > 1) && static_cast<u64>(offset) + byte_.bytes > size) return;
        found_ = true;
        variable_ = variable;
        offset_ = static_cast<u64>(offset);
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
        Entry type;
        if (offset_ != 0 && type_of(variable_, &type)) padding = !add_part(path, type, offset_);
        text.add(padding ? "padding of variable `" : "variable `").add(path.c_str()).add('`');
        Entry call;
        if (inlined_ == 0 || !unit_.read(inlined_, &call)) return;
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
                u64 stride = size_of(type, 0);
                if (stride == 0) return true;
                bool whole = false;
                for_each_dimension(type, [&](u64 count) {
                    if (count == 0 || stride / count == 0) return;
                    stride /= count;
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
    u64 start_ = 0;    // of the function
    u64 inlined_ = 0;  // the inlined call with the place, an entry; 0: none
    bool found_ = false;
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
