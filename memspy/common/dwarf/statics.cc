// SPDX-License-Identifier: GPL-2.0-or-later
#include "dwarf/statics.h"

#include "dwarf/static_walk.h"

namespace memspy::dwarf {
namespace {

constexpr u64 kMostSearched = 4u << 20;  // bytes of .debug_info

// What lies at an offset of a type: its path, and what it points to. Returns the extent of the smallest part.
PartExtent describe_part(const TypeReader& types, const Entry& type, u64 offset, u64 bytes,
                         StaticPart* part) {
    PartExtent extent;
    Entry found;
    part->padding = !types.add_part(part->path, type, offset, bytes, &extent, &part->element, &found);
    if (!part->padding && types.is_pointer(found)) types.describe_target(found, &part->target);
    return extent;
}

class StaticSearch {
public:
    StaticSearch(const InfoUnit& unit, u64 address, u64 bytes)
        : unit_(unit), types_(unit), address_(address), bytes_(bytes) {}

    bool run(StaticPart* part) {
        walk_statics(unit_, unit_.root(), AnyScope(), *this);
        if (start_ == 0) return false;
        const char* name = unit_.text(types_.inherited(variable_, AttributeName::Name));
        if (name == nullptr) return false;
        part->path.add(name);
        Entry type;
        PartExtent extent;
        if (types_.type_of(variable_, &type)) {
            part->shape = types_.shape_of(type);
            extent = describe_part(types_, type, address_ - start_, bytes_, part);
            part->atomic = types_.is_atomic(variable_) || types_.passed_atomic();
        }
        part->begin = address_ - extent.inside;
        part->end = part->begin + extent.bytes;
        part->line = types_.inherited(variable_, AttributeName::DeclaredLine).number;
        unit_.add_file(part->file, types_.inherited(variable_, AttributeName::DeclaredFile).number);
        return true;
    }

    struct AnyScope {};
    AnyScope inside(AnyScope scope, const Entry&) const { return scope; }
    bool meet(const Entry& variable, AnyScope) {
        try_variable(variable);
        return start_ == 0;
    }

private:
    void try_variable(const Entry& variable) {
        const u64 start = unit_.constant_address(variable[AttributeName::Location]);
        if (start == 0 || start > address_) return;
        Entry type;
        const u64 size = types_.type_of(variable, &type) ? types_.size_of(type) : 0;
        if (address_ - start >= (size == 0 ? 1 : size)) return;
        variable_ = variable;
        start_ = start;
    }

    const InfoUnit& unit_;
    TypeReader types_;
    const u64 address_, bytes_;
    Entry variable_;
    u64 start_ = 0;  // of the variable found
};

}  // namespace

bool find_static(const Sections& sections, u64 pc, u64 address, u64 bytes, StaticPart* part) {
    const auto search = [&](const InfoUnit& unit) { return StaticSearch(unit, address, bytes).run(part); };
    if (with_unit_of(sections, pc, search)) return true;
    return sections.info.size <= kMostSearched && any_unit(sections, search);
}

bool find_in_type(const Sections& sections, const ElementPart& type, u64 offset, u64 bytes,
                  StaticPart* part) {
    if (type.type_at == 0) return false;
    const InfoUnit unit(sections, type.unit);
    Entry described;
    if (!unit.is_readable() || !unit.read(type.type_at, &described)) return false;
    const PartExtent extent = describe_part(TypeReader(unit), described, offset, bytes, part);
    part->begin = offset - extent.inside;
    part->end = part->begin + extent.bytes;
    return true;
}

}  // namespace memspy::dwarf
