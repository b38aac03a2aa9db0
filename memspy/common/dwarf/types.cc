// SPDX-License-Identifier: GPL-2.0-or-later
#include "dwarf/types.h"

#include "rt/prefix.h"
#include "rt/system_paths.h"

namespace memspy::dwarf {

namespace {

// Names reserved for the implementation by the rules of C and C++.
bool is_reserved(const char* name) {
    return name[0] == '_' && (name[1] == '_' || (name[1] >= 'A' && name[1] <= 'Z'));
}

Language language_of(const InfoUnit& unit) {
    constexpr u64 kFortran[] = {0x07, 0x08, 0x0e, 0x22, 0x23, 0x2d};  // 77, 90, 95, 2003, 2008, 2018
    constexpr u64 kC[] = {0x01, 0x02, 0x0c, 0x1d, 0x2c, 0x3e};        // 89, any, 99, 11, 17, 23
    constexpr u64 kRust = 0x1c;
    const u64 language = unit.root()[AttributeName::Language].number;
    for (const u64 one : kFortran)
        if (language == one) return Language::Fortran;
    for (const u64 one : kC)
        if (language == one) return Language::C;
    return language == kRust ? Language::Rust : Language::Other;
}

// Of a dimension that has no first index of its own.
i64 default_first_index(const InfoUnit& unit) {
    // Ada, COBOL, Pascal, Modula-2 and PL/I
    constexpr u64 kFromOne[] = {0x03, 0x0d, 0x2e, 0x2f, 0x05, 0x06, 0x09, 0x0a, 0x0f};
    for (const u64 one : kFromOne)
        if (unit.root()[AttributeName::Language].number == one) return 1;
    return language_of(unit) == Language::Fortran ? 1 : 0;
}

// Of `all` bytes in elements of `stride` bytes, those at `offset` and at that distance from it are in two
// elements.
bool are_apart(u64 offset, i64 distance, u64 stride, u64 all) {
    const u64 other = offset + static_cast<u64>(distance);  // below the first byte it is beyond the last one
    return distance != 0 && other < all && offset / stride != other / stride;
}

}  // namespace

template <typename F>
void TypeReader::for_each_dimension(const Entry& array, F f) const {
    Entry dimension;
    for (u64 at = array.has_children ? array.next : 0;
         at != 0 && unit_.read(at, &dimension) && dimension.tag != 0; at = unit_.after(dimension)) {
        if (dimension.tag != kSubrange) continue;
        const i64 lower = unit_.constant(dimension[AttributeName::LowerBound], default_first_index(unit_));
        const i64 count = unit_.constant(dimension[AttributeName::Count], -1);
        const i64 bound = unit_.constant(dimension[AttributeName::UpperBound], lower - 1);
        f(static_cast<u64>(count >= 0 ? count : bound + 1 - lower), lower);
    }
}

Language language_of(const Sections& sections, u64 pc) {
    Language found = Language::Other;
    with_unit_of(sections, pc, [&](const InfoUnit& unit) {
        found = language_of(unit);
        return true;
    });
    return found;
}

bool TypeReader::is_fortran() const { return language_of(unit_) == Language::Fortran; }

bool TypeReader::is_variable_length(const Entry& type) const {
    bool any = false;
    if (type.tag == kArray) for_each_dimension(type, [&](u64 count, i64) { any = any || count == 0; });
    return any;
}

Attribute TypeReader::inherited(const Entry& entry, AttributeName name) const {
    Entry at = entry;
    for (unsigned step = 0; step < kMostSteps; ++step) {
        if (at[name].is_there()) return at[name];
        u64 origin = unit_.reference(at[AttributeName::AbstractOrigin]);
        if (origin == 0) origin = unit_.reference(at[AttributeName::Specification]);
        if (origin == 0 || !unit_.read(origin, &at)) break;
    }
    return {};
}

bool TypeReader::type_of(const Entry& entry, Entry* type) const {
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

bool TypeReader::is_atomic(const Entry& entry) const {
    Entry type;
    u64 at = unit_.reference(inherited(entry, AttributeName::Type));
    for (unsigned step = 0; step < kMostSteps && at != 0 && unit_.read(at, &type); ++step) {
        if (type.tag == kVolatile || type.tag == kAtomic) return true;
        if (type.tag == kStructure || type.tag == kClass) {
            const char* name = unit_.text(type[AttributeName::Name]);
            return name != nullptr &&
                   (rt::starts_with(name, "atomic") || rt::starts_with(name, "__atomic_base"));
        }
        if (type.tag == kPointer || type.tag == kReference) return false;
        at = unit_.reference(type[AttributeName::Type]);
    }
    return false;
}

bool TypeReader::is_descriptor(const Entry& type) const {
    return type.tag == kArray && type[AttributeName::DataLocation].is_there();
}

// Of what an OpenMP construct shares: its structure has the descriptor's address.
bool is_behind_pointer(const Entry& descriptor) {
    constexpr u8 kObject = 0x97, kLoad = 0x06;  // DW_OP_push_object_address, DW_OP_deref
    const FileBytes& code = descriptor[AttributeName::DataLocation].block;
    return code.size == 3 && code.data[0] == kObject && code.data[1] == kLoad && code.data[2] == kLoad;
}

u64 TypeReader::size_of(const Entry& type, unsigned depth) const {
    if (depth == kMostSteps) return 0;
    const i64 size = unit_.constant(type[AttributeName::ByteSize], 0);
    if (size > 0) return static_cast<u64>(size);
    if (type.tag == kPointer || type.tag == kReference || type.tag == kRvalueReference) return 8;
    if (is_descriptor(type)) {
        if (is_behind_pointer(type)) return 8;
        // Address, offset, type, span; of each dimension the stride and both bounds.
        u64 bytes = 40;
        for_each_dimension(type, [&](u64, i64) { bytes += 24; });
        return bytes;
    }
    Entry element;
    if (type.tag != kArray || !type_of(type, &element)) return 0;
    u64 all = size_of(element, depth + 1);
    for_each_dimension(type, [&](u64 count, i64) { all *= count; });
    return all;
}

u64 TypeReader::row_of(const Entry& array) const {
    Entry element;
    if (!type_of(array, &element)) return 0;
    u64 row = 0;
    for_each_dimension(array, [&](u64 count, i64) {
        if (row == 0 || !is_fortran()) row = count;
    });
    return row * size_of(element);
}

u64 TypeReader::stride_of(const Entry& array) const {
    u64 slowest = 0;
    for_each_dimension(array, [&](u64 count, i64) {
        if (slowest == 0 || is_fortran()) slowest = count;
    });
    return slowest == 0 ? 0 : size_of(array) / slowest;
}

DeclaredDimensions TypeReader::shape_of(Entry type) const {
    DeclaredDimensions shape;
    bool is_constant = true;
    for (unsigned step = 0; step < kMostSteps; ++step) {
        // What has one member only is that member: std::array.
        if (Entry part, inner; (type.tag == kStructure || type.tag == kClass) &&
                               find_part(type, 0, size_of(type), &part, &inner) == PartFound::Yes) {
            type = inner;
            continue;
        }
        if (type.tag != kArray) break;
        for_each_dimension(type, [&](u64 count, i64) {
            is_constant = is_constant && count > 0 && shape.count < DeclaredDimensions::kMost;
            if (is_constant) shape.lengths[shape.count++] = count;
        });
        Entry element;
        if (!is_constant || !type_of(type, &element)) return {};
        type = element;
    }
    shape.element = size_of(type);
    shape.first_fastest = is_fortran();
    shape.pointers = type.tag == kPointer || type.tag == kReference;
    return shape.element == 0 ? DeclaredDimensions{} : shape;
}

void TypeReader::describe_element(const Entry& array, ElementPart* element) const {
    Entry type;
    const char* name = nullptr;  // of the typedef, for a structure without one
    u64 at = unit_.reference(inherited(array, AttributeName::Type));
    for (unsigned step = 0; step < kMostSteps && at != 0 && unit_.read(at, &type); ++step) {
        if (const char* own = unit_.text(type[AttributeName::Name]); own != nullptr) name = own;
        const bool is_record = type.tag == kStructure || type.tag == kClass || type.tag == kUnion;
        const bool is_alias = type.tag == kTypedef || type.tag == kConst || type.tag == kVolatile ||
                              type.tag == kRestrict || type.tag == kAtomic;
        if (!is_alias) {
            if (name == nullptr || type.tag == kArray || type.tag == kPointer) return;
            if (is_record && unit_.text(type[AttributeName::Name]) != nullptr)
                element->type.add(type.tag == kUnion ? "union " : type.tag == kClass ? "class " : "struct ");
            element->type.add(name);
            if (!is_record) return;
            element->line = type[AttributeName::DeclaredLine].number;
            unit_.add_file(element->file, type[AttributeName::DeclaredFile].number, &element->folder);
            return;
        }
        at = unit_.reference(type[AttributeName::Type]);
    }
}

void TypeReader::describe_target(const Entry& pointer, ElementPart* target) const {
    Entry type;
    describe_element(pointer, target);
    if (!type_of(pointer, &type)) return;
    target->unit = unit_.start();
    target->type_at = type.offset;
    target->bytes = size_of(type);
    target->shape = shape_of(type);
    if (!is_descriptor(pointer)) return;
    for_each_dimension(pointer, [&](u64, i64) { ++target->shape.count; });
    if (target->shape.count > DeclaredDimensions::kMost) target->shape = {};
}

bool TypeReader::add_part(rt::Text& path, Entry type, u64 offset, u64 bytes, PartExtent* extent,
                          ElementPart* element, Entry* part) const {
    passed_atomic_ = false;
    const bool found = descend(path, &type, &offset, bytes, element);
    if (part != nullptr) *part = type;
    if (extent != nullptr) *extent = {found ? size_of(type) : 0, offset};
    return found;
}

// An object of a class in one of a library's, where no program may name it.
bool TypeReader::is_hidden(const Entry& structure, const Entry& member, const Entry& type) const {
    constexpr u64 kPublic = 1, kPrivate = 3;
    const Attribute& access = member[AttributeName::Accessibility];
    const u64 is = access.is_there() ? access.number : structure.tag == kClass ? kPrivate : kPublic;
    if (is == kPublic || (type.tag != kClass && type.tag != kStructure)) return false;
    rt::Text file, folder;
    unit_.add_file(file, member[AttributeName::DeclaredFile].number, &folder);
    return rt::is_system_path(folder.c_str());
}

// Leaves the part's type, and the offset in it.
bool TypeReader::descend(rt::Text& path, Entry* at_type, u64* at_offset, u64 bytes,
                         ElementPart* wanted) const {
    Entry& type = *at_type;
    u64& offset = *at_offset;
    const bool fortran = is_fortran();
    for (unsigned step = 0; step < kMostSteps; ++step) {
        if (is_descriptor(type)) return true;
        if (type.tag == kArray) {
            Entry element;
            if (!type_of(type, &element)) return true;
            // The size of one element, then of all dimensions behind each; 0 for the first of variable
            // length.
            u64 stride = size_of(element);
            const u64 all = size_of(type);
            u32 dimensions = 0;
            for_each_dimension(type, [&](u64 count, i64) {
                if (dimensions++ > 0) stride *= count;
            });
            bool first = true, whole = stride == 0 || (fortran && dimensions > 1);
            for_each_dimension(type, [&](u64 count, i64 lower) {
                if (whole) return;
                if (!first) stride /= count;
                first = false;
                whole = offset % stride + bytes > stride;
                if (whole) return;
                if (wanted != nullptr && wanted->bytes == 0 &&
                    are_apart(offset, wanted->apart, stride, all)) {
                    wanted->bytes = stride;
                    wanted->inside = offset % stride;
                }
                if (wanted != nullptr && wanted->bytes == stride && wanted->array.empty()) {
                    wanted->array.add(path.c_str());
                    if (stride == size_of(element)) describe_element(type, wanted);
                }
                path.add(fortran ? '(' : '[').add_plain(offset / stride + static_cast<u64>(lower));
                path.add(fortran ? ')' : ']');
                offset %= stride;
            });
            if (whole) return true;
            type = element;
            continue;
        }
        if (type.tag != kStructure && type.tag != kClass) return true;
        Entry part, part_type;
        switch (find_part(type, offset, bytes, &part, &part_type)) {
            case PartFound::Padding: return false;
            case PartFound::Unclear: return true;
            case PartFound::Yes: passed_atomic_ = passed_atomic_ || is_atomic(part); break;
        }
        // The only content of a library's wrapper has no name of its own: counters[2], not
        // counters._M_elems[2]. Nor has the container in one: queue, not queue.c.
        if (const char* name = unit_.text(part[AttributeName::Name]);
            name != nullptr && part.tag == kMember &&
            !(is_reserved(name) && size_of(part_type) == size_of(type)) && !is_hidden(type, part, part_type))
            path.add('.').add(name);
        offset -= static_cast<u64>(unit_.constant(part[AttributeName::DataMemberLocation], 0));
        type = part_type;
    }
    return true;
}

TypeReader::PartFound TypeReader::find_part(const Entry& structure, u64 offset, u64 bytes, Entry* part,
                                            Entry* type) const {
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
            if (start < offset + bytes && offset < start + size) return PartFound::Unclear;
            continue;
        }
        // A base's tail may hold members of the class itself, and an empty base shares the bytes of any
        // of them.
        if (part->tag == kInheritance && size <= 1) continue;
        if (size == 0) found = PartFound::Unclear;
        if (offset >= start && offset + bytes <= start + size) return PartFound::Yes;
        if (start < offset + bytes && offset < start + size) return PartFound::Unclear;
    }
    return found;
}

}  // namespace memspy::dwarf
