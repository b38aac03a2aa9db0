// SPDX-License-Identifier: GPL-2.0-or-later
#include "places/static_objects.h"

#include "places/statics.h"
#include "rt/text.h"
#include "rt/vector.h"
#include "vg/data_symbols.h"
#include "vg/vg.h"

namespace memspy::places {
namespace {

// gfortran's "__state_MOD_hits" as "state::hits"; null for other symbols.
const char* fortran_name(const char* symbol) {
    const HChar* const between = VG_(strstr)(symbol, "_MOD_");
    if (between == nullptr || between < symbol + 2 || symbol[0] != '_' || symbol[1] != '_') return nullptr;
    rt::Text name;
    for (const char* c = symbol + 2; c != between; ++c) name.add(*c);
    name.add("::").add(between + VG_(strlen)("_MOD_"));
    return vg::intern(name.c_str());
}

// By the core's symbols.
bool in_symbol(Address a, Address start) {
    const char* name;
    Address other;
    return vg::data_symbol(a, &name, &other) && other == start;
}

// The end of the symbol around `a`: a symbol's bytes have no gaps, so bisection finds it.
Address symbol_end(Address a, Address start) {
    Address inside = a;
    Address step = 1;
    while (in_symbol(inside + step, start)) {
        inside += step;
        step *= 2;
    }
    for (; step > 1; step /= 2)
        if (in_symbol(inside + step / 2, start)) inside += step / 2;
    return inside + 1;
}

void set_module(Object& object, vg::ModuleId id) {
    const vg::Module& module = vg::module(id);
    object.kind = Object::StorageKind::Static;
    object.loaded_from = id;
    object.module = module.path;
    object.build_id = module.build_id;
    object.module_offset = object.start - module.bias;
}

ObjectId static_object(const Object& wanted) {
    const u64 key = mix(wanted.module_offset, u64{static_cast<u32>(wanted.loaded_from)} << 8 | 2);
    return find_or_make(key, wanted, [&](const Object& o) {
        return o.loaded_from == wanted.loaded_from && o.module_offset == wanted.module_offset &&
               (o.symbol == nullptr) == (wanted.symbol == nullptr) && o.common == wanted.common &&
               (o.symbol != nullptr || o.name == wanted.name);
    });
}

// A section, or the core's name for it if the file could not be read.
struct SectionPart {
    Address begin;
    usize size;  // 0 when not known
    const char* name;
    bool operator==(const SectionPart&) const = default;
};
SectionPart section_part(const vg::Module& module, Address a) {
    if (const vg::ModuleSection* section = vg::section_of(module, a))
        return {section->begin, section->size, section->name};
    const VgSectKind kind = VG_(DebugInfo_sect_kind)(nullptr, a);
    return {module.begin, 0, kind == Vg_SectUnknown ? "mapped file" : VG_(pp_SectKind)(kind)};
}

// The variable around `a`, from the core's symbols, else from the module's own symbol table.
bool variable_around(vg::ModuleId id, Address a, Object* found) {
    const char* symbol;
    if (vg::data_symbol(a, &symbol, &found->start)) {
        found->symbol = vg::intern(symbol);
        found->size = symbol_end(a, found->start) - found->start;
        return true;
    }
    const vg::Module& module = vg::module(id);
    vg::DataSymbol own;
    if (!vg::find_data_symbol(id, a - module.bias, &own)) return false;
    found->start = module.bias + own.start;
    found->symbol = own.name;
    found->size = own.size;
    return true;
}

// gfortran's name for the bytes of variables in an EQUIVALENCE statement.
bool is_equivalence(const char* symbol) {
    constexpr const char* kPrefix = "equiv.";
    return VG_(strncmp)(symbol, kPrefix, VG_(strlen)(kPrefix)) == 0;
}

// The region of a variable, or of the member of a COMMON block or an EQUIVALENCE around `a`.
ObjectRegion variable_region(vg::ModuleId id, Address a, Object& wanted) {
    const u64 bias = vg::module(id).bias;
    ObjectRegion region{wanted.start, wanted.start + wanted.size, wanted.start, ObjectId::None};
    wanted.name = readable_name(wanted.symbol);
    const bool of_common = may_be_common(wanted.symbol);
    if (of_common || is_equivalence(wanted.symbol)) {
        u64 begin = region.begin - bias, end = region.end - bias;
        const MemberOf what = of_common ? MemberOf::Common : MemberOf::Equivalence;
        const DeclaredStatic* const member = find_member(id, what, a - bias, &begin, &end);
        region.begin = begin + bias;
        region.end = end + bias;
        if (member != nullptr) {
            wanted.start = region.start = region.begin;
            wanted.size = end - begin;
            wanted.name = member->name;
            wanted.common = member->block;
        }
    }
    set_module(wanted, id);
    region.object = static_object(wanted);
    return region;
}

}  // namespace

// Fortran compilers append an underscore to the name of a COMMON block (`__BLNK__`: the one without a name).
bool may_be_common(const char* symbol) {
    const usize length = VG_(strlen)(symbol);
    return length > 1 && symbol[length - 1] == '_';
}

// Without the version of some symbols ("stdout@GLIBC_2.2.5"), and without the number that compilers append to
// the name of a function's static variable ("count.0").
const char* readable_name(const char* symbol) {
    if (const char* const name = fortran_name(symbol)) return name;
    const char* name = vg::intern(vg::demangled(symbol));
    usize length = VG_(strcspn)(name, "@");
    const HChar* dot = VG_(strchr)(name, '.');
    if (dot != nullptr && dot > name && VG_(strspn)(dot + 1, "0123456789") == VG_(strlen)(dot + 1))
        length = static_cast<usize>(dot - name);
    if (length == 0 || name[length] == '\0') return name;
    rt::Vector<char> unversioned;
    unversioned.resize(length + 1);  // ends with a zero
    VG_(memcpy)(unversioned.data(), name, length);
    return vg::intern(unversioned.data());
}

bool static_region(Address a, ObjectRegion* region) {
    const vg::ModuleId id = vg::module_of_data(a);
    if (id == vg::ModuleId::None) return false;
    const vg::Module& module = vg::module(id);
    Object wanted;
    if (variable_around(id, a, &wanted)) {
        *region = variable_region(id, a, wanted);
        return true;
    }
    const SectionPart part = section_part(module, a);
    wanted.start = part.begin;
    wanted.size = part.size;
    wanted.name = vg::intern(part.name);
    set_module(wanted, id);
    if (part.size == 0) {
        *region =
            grow(a, module.begin, module.end, [&](Address b) { return section_part(module, b) == part; });
    } else {
        region->begin = part.begin;
        region->end = part.begin + part.size;
    }
    const vg::SymbolGap gap = vg::symbol_gap(id, a);
    if (gap.begin > region->begin) region->begin = gap.begin;
    if (gap.end < region->end) region->end = gap.end;
    region->start = part.begin;
    region->object = static_object(wanted);
    return true;
}

}  // namespace memspy::places
