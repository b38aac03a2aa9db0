// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/names/units.h"

#include <dwarf.h>
#include <gelf.h>

#include <algorithm>
#include <filesystem>

namespace memspy::report::names {
namespace {

// The raw bytes of an attribute's value. libdw has their address but, for a unit that it did not split
// itself, cannot turn an index into an address.
u64 raw_index(const Dwarf_Attribute& attribute) {
    // The longest form has ten bytes; libdw has checked that the value is inside its section.
    const Bytes bytes(attribute.valp, 10);
    u64 offset = 0;
    switch (attribute.form) {
        case DW_FORM_addrx1: return attribute.valp[0];
        case DW_FORM_addrx2: return read_number(bytes, 0, 2);
        case DW_FORM_addrx3: return read_number(bytes, 0, 3);
        case DW_FORM_addrx4: return read_number(bytes, 0, 4);
        default: return read_uleb(bytes, offset);
    }
}

bool is_index(unsigned form) {
    return form == DW_FORM_addrx || form == DW_FORM_addrx1 || form == DW_FORM_addrx2 ||
           form == DW_FORM_addrx3 || form == DW_FORM_addrx4 || form == DW_FORM_GNU_addr_index;
}

std::optional<Dwarf_Attribute> attribute_of(Dwarf_Die die, unsigned name) {
    Dwarf_Attribute attribute;
    if (dwarf_attr(&die, name, &attribute) == nullptr) return std::nullopt;
    return attribute;
}

u64 base_of(Dwarf_Die skeleton, unsigned name, unsigned old_name) {
    if (auto base = number_of(skeleton, name)) return *base;
    return number_of(skeleton, old_name).value_or(0);
}

}  // namespace

std::string text_of(Dwarf_Die die, unsigned name) {
    Dwarf_Attribute attribute;
    if (dwarf_attr_integrate(&die, name, &attribute) == nullptr) return {};
    const char* text = dwarf_formstring(&attribute);
    return text == nullptr ? "" : text;
}

std::optional<u64> number_of(Dwarf_Die die, unsigned name) {
    auto attribute = attribute_of(die, name);
    Dwarf_Word value;
    if (!attribute || dwarf_formudata(&*attribute, &value) != 0) return std::nullopt;
    return value;
}

bool has_flag(Dwarf_Die die, unsigned name) {
    auto attribute = attribute_of(die, name);
    bool set = false;
    return attribute && dwarf_formflag(&*attribute, &set) == 0 && set;
}

SourceLine make_source(const char* path, const char* folder, unsigned line) {
    SourceLine source;
    if (path == nullptr || *path == '\0') return source;
    std::filesystem::path whole(path);
    // libdw has prepended the unit's folder if the line table has it; a relative one (by -ffile-prefix-map)
    // is already included.
    if (whole.is_relative() && folder != nullptr && *folder == '/')
        whole = std::filesystem::path(folder) / whole;
    whole = whole.lexically_normal();
    source.dir = whole.parent_path().string();
    source.file = whole.filename().string();
    source.line = line;
    return source;
}

Units::Units(Dwarf* dwarf, SplitUnits& split, DebugInfoStatus& status) : split_(split), status_(status) {
    Elf* elf = dwarf_getelf(dwarf);
    addresses_ = section_bytes(elf, ".debug_addr");
    old_ranges_ = section_bytes(elf, ".debug_ranges");
    for (Elf_Scn* section = nullptr; (section = elf_nextscn(elf, section)) != nullptr;) {
        GElf_Shdr header;
        if (gelf_getshdr(section, &header) != nullptr && (header.sh_flags & SHF_ALLOC) != 0 &&
            (header.sh_flags & SHF_TLS) == 0)
            allocated_.push_back({header.sh_addr, header.sh_addr + header.sh_size});
    }
    Dwarf_CU* cu = nullptr;
    while (dwarf_get_units(dwarf, cu, &cu, nullptr, nullptr, nullptr, nullptr) == 0) {
        Unit unit;
        std::uint8_t kind;
        if (dwarf_cu_info(cu, nullptr, &kind, &unit.skeleton, nullptr, &unit.id, nullptr, nullptr) != 0)
            continue;
        if (kind != DW_UT_compile && kind != DW_UT_skeleton) continue;
        unit.split = kind == DW_UT_skeleton;
        units_.push_back(unit);
    }
}

void Units::list_code() {
    code_listed_ = true;
    for (std::size_t i = 0; i < units_.size(); ++i)
        for (const CodeExtent& range : ranges(units_[i], units_[i].skeleton)) code_.push_back({range, i});
    std::sort(code_.begin(), code_.end(),
              [](const UnitRange& a, const UnitRange& b) { return a.range.begin < b.range.begin; });
}

Unit* Units::with_code(u64 a) {
    if (!code_listed_) list_code();
    auto after = std::upper_bound(code_.begin(), code_.end(), a, [](u64 address, const UnitRange& code) {
        return address < code.range.begin;
    });
    if (after == code_.begin() || !(after - 1)->range.contains(a)) return nullptr;
    return &units_[(after - 1)->unit];
}

Dwarf_Die* Units::die(Unit& unit) {
    if (!unit.looked_for) {
        unit.looked_for = true;
        unit.die = unit.split ? split_.find(unit.skeleton, unit.id, status_.incomplete) : unit.skeleton;
    }
    return unit.die ? &*unit.die : nullptr;
}

std::optional<u64> Units::indexed_address(const Unit& unit, u64 index) const {
    const u64 base = base_of(unit.skeleton, DW_AT_addr_base, DW_AT_GNU_addr_base);
    const u64 at = base + 8 * index;
    if (at < base || at + 8 > addresses_.size()) return std::nullopt;
    return read_number(addresses_, at, 8);
}

std::optional<u64> Units::address(const Unit& unit, Dwarf_Attribute attribute) const {
    if (unit.split && is_index(attribute.form)) return indexed_address(unit, raw_index(attribute));
    Dwarf_Addr address;
    if (dwarf_formaddr(&attribute, &address) != 0) return std::nullopt;
    return address;
}

std::optional<u64> Units::code_address(const Unit& unit, Dwarf_Die die, unsigned name) const {
    const auto attribute = attribute_of(die, name);
    return attribute ? address(unit, *attribute) : std::nullopt;
}

std::vector<CodeExtent> Units::ranges(Unit& unit, Dwarf_Die die) const {
    std::vector<CodeExtent> found;
    if (!unit.split || die.cu == unit.skeleton.cu) {
        ptrdiff_t next = 0;
        Dwarf_Addr base, begin, end;
        while ((next = dwarf_ranges(&die, next, &base, &begin, &end)) > 0)
            if (begin < end) found.push_back({begin, end});
        return found;
    }
    if (auto list = attribute_of(die, DW_AT_ranges)) return split_ranges(unit, *list);
    auto low = attribute_of(die, DW_AT_low_pc), high = attribute_of(die, DW_AT_high_pc);
    if (!low || !high) return found;
    const std::optional<u64> begin = address(unit, *low);
    if (!begin) return found;
    std::optional<u64> end = address(unit, *high);
    Dwarf_Word length;
    if (!end && dwarf_formudata(&*high, &length) == 0) end = *begin + length;
    if (end && *begin < *end) found.push_back({*begin, *end});
    return found;
}

std::vector<CodeExtent> Units::split_ranges(const Unit& unit, Dwarf_Attribute attribute) const {
    const Bytes lists = section_bytes(dwarf_getelf(dwarf_cu_getdwarf(attribute.cu)), ".debug_rnglists.dwo");
    if (attribute.form == DW_FORM_rnglistx) {
        // There is one table, whose offsets count from the end of its header.
        constexpr u64 kHeader = 12;
        return range_list(unit, lists, kHeader + read_number(lists, kHeader + 4 * raw_index(attribute), 4));
    }
    // Read directly: libdw would need the section that it points to, which is in another file.
    u64 offset = 0;
    if (attribute.form == DW_FORM_sec_offset || attribute.form == DW_FORM_data4)
        offset = read_number({attribute.valp, 4}, 0, 4);
    std::vector<CodeExtent> found;
    if (!lists.empty()) return range_list(unit, lists, offset);
    // Before DWARF 5 they are in the module.
    u64 at = offset + number_of(unit.skeleton, DW_AT_GNU_ranges_base).value_or(0);
    u64 base = code_address(unit, unit.skeleton, DW_AT_low_pc).value_or(0);
    for (; at + 16 <= old_ranges_.size(); at += 16) {
        const u64 begin = read_number(old_ranges_, at, 8), end = read_number(old_ranges_, at + 8, 8);
        if (begin == 0 && end == 0) break;
        if (begin == ~u64{0})
            base = end;
        else if (begin < end)
            found.push_back({base + begin, base + end});
    }
    return found;
}

std::vector<CodeExtent> Units::range_list(const Unit& unit, Bytes lists, u64 at) const {
    std::vector<CodeExtent> found;
    u64 base = code_address(unit, unit.skeleton, DW_AT_low_pc).value_or(0);
    auto add = [&](u64 begin, u64 end) {
        if (begin < end) found.push_back({begin, end});
    };
    auto indexed = [&] { return indexed_address(unit, read_uleb(lists, at)).value_or(0); };
    auto plain = [&] {
        at += 8;
        return read_number(lists, at - 8, 8);
    };
    while (at < lists.size()) {
        switch (lists[at++]) {
            case DW_RLE_end_of_list: return found;
            case DW_RLE_base_addressx: base = indexed(); break;
            case DW_RLE_base_address: base = plain(); break;
            case DW_RLE_startx_endx: {
                const u64 begin = indexed();
                add(begin, indexed());
                break;
            }
            case DW_RLE_startx_length: {
                const u64 begin = indexed();
                add(begin, begin + read_uleb(lists, at));
                break;
            }
            case DW_RLE_offset_pair: {
                const u64 begin = base + read_uleb(lists, at);
                add(begin, base + read_uleb(lists, at));
                break;
            }
            case DW_RLE_start_end: {
                const u64 begin = plain();
                add(begin, plain());
                break;
            }
            case DW_RLE_start_length: {
                const u64 begin = plain();
                add(begin, begin + read_uleb(lists, at));
                break;
            }
            default: return found;
        }
    }
    return found;
}

std::optional<u64> Units::static_address(Unit& unit, Dwarf_Die variable) const {
    auto location = attribute_of(variable, DW_AT_location);
    Dwarf_Op* operations;
    std::size_t count;
    if (!location || dwarf_getlocation(&*location, &operations, &count) != 0 || count == 0)
        return std::nullopt;
    std::optional<u64> found;
    for (std::size_t i = 0; i < count; ++i) {
        const Dwarf_Op& operation = operations[i];
        switch (operation.atom) {
            case DW_OP_addr: found = operation.number; break;
            case DW_OP_addrx:
            case DW_OP_GNU_addr_index: {
                if (unit.split) {
                    found = indexed_address(unit, operation.number);
                    break;
                }
                Dwarf_Attribute attribute;
                Dwarf_Addr address;
                if (dwarf_getlocation_attr(&*location, &operation, &attribute) != 0 ||
                    dwarf_formaddr(&attribute, &address) != 0)
                    return std::nullopt;
                found = address;
                break;
            }
            // clang describes merged variables by their distance from the first.
            case DW_OP_plus_uconst:
                if (!found) return std::nullopt;
                *found += operation.number;
                break;
            default: return std::nullopt;  // of a thread, a frame, in registers…
        }
        if (!found) return std::nullopt;
    }
    // Code and data that the linker dropped have address 0 or an address outside of all sections.
    for (const CodeExtent& section : allocated_)
        if (section.contains(*found)) return found;
    return std::nullopt;
}

SourceLine Units::source(const Unit& unit, Dwarf_Die die, unsigned file_name, unsigned line_name) const {
    Dwarf_Attribute file, line;
    Dwarf_Word index = 0, number = 0;
    if (dwarf_attr_integrate(&die, file_name, &file) == nullptr || dwarf_formudata(&file, &index) != 0)
        return {};
    if (dwarf_attr_integrate(&die, line_name, &line) != nullptr) dwarf_formudata(&line, &number);
    // The number belongs to the unit with the attribute, which may be another one.
    Dwarf_Die owner;
    Dwarf_Half version = 0;
    if (dwarf_cu_die(file.cu, &owner, &version, nullptr, nullptr, nullptr, nullptr, nullptr) == nullptr)
        return {};
    if (index == 0 && version < 5) return {};
    Dwarf_Die skeleton = unit.skeleton;
    Dwarf_Files* files;
    std::size_t count;
    if (dwarf_getsrcfiles(&owner, &files, &count) != 0 &&
        (!unit.split || dwarf_getsrcfiles(&skeleton, &files, &count) != 0))
        return {};
    if (index >= count) return {};
    std::string folder = text_of(owner, DW_AT_comp_dir);
    if (folder.empty()) folder = text_of(unit.skeleton, DW_AT_comp_dir);
    return make_source(dwarf_filesrc(files, index, nullptr, nullptr), folder.c_str(),
                       static_cast<unsigned>(number));
}

SourceLine Units::declared(Dwarf_Die die) const {
    for (std::size_t i = 0; i < units_.size(); ++i) {
        const std::size_t number = (last_declared_ + i) % units_.size();
        const Unit& unit = units_[number];
        if (!unit.die || unit.die->cu != die.cu) continue;
        last_declared_ = number;
        return source(unit, die, DW_AT_decl_file, DW_AT_decl_line);
    }
    return {};
}

std::optional<Dwarf_Die> Units::follow(Dwarf_Die die, unsigned name) const {
    Dwarf_Attribute attribute;
    if (dwarf_attr_integrate(&die, name, &attribute) == nullptr) return std::nullopt;
    Dwarf_Die target;
    if (dwarf_formref_die(&attribute, &target) != nullptr) return target;
    if (attribute.form != DW_FORM_ref_sig8) return std::nullopt;
    return split_.type_by_signature(dwarf_cu_getdwarf(attribute.cu), read_number({attribute.valp, 8}, 0, 8));
}

std::optional<Dwarf_Die> Units::type(Dwarf_Die die) const {
    auto type = follow(die, DW_AT_type);
    // A declaration that refers to a type in a unit of its own.
    while (type && dwarf_hasattr(&*type, DW_AT_signature)) {
        auto whole = follow(*type, DW_AT_signature);
        if (!whole) break;
        type = whole;
    }
    return type;
}

Dwarf_Die origin_of(const Units& units, Dwarf_Die die) {
    for (int steps = 0; steps < 16; ++steps) {
        std::optional<Dwarf_Die> next;
        if (dwarf_hasattr(&die, DW_AT_abstract_origin))
            next = units.follow(die, DW_AT_abstract_origin);
        else if (dwarf_hasattr(&die, DW_AT_specification))
            next = units.follow(die, DW_AT_specification);
        if (!next) break;
        die = *next;
    }
    return die;
}

}  // namespace memspy::report::names
