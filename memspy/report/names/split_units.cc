// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/names/split_units.h"

#include <dwarf.h>
#include <elf.h>

#include <array>
#include <cstring>
#include <filesystem>
#include <utility>

namespace memspy::report::names {
namespace {

namespace fs = std::filesystem;

// For the ELF header, section headers and their names, in front of a mapped .dwp. Whole pages, because the
// file is mapped behind them.
constexpr std::size_t kRoom = 1 << 16;

const char* text_of(Dwarf_Die* die, unsigned first, unsigned second) {
    Dwarf_Attribute attribute;
    if (dwarf_attr(die, first, &attribute) == nullptr && dwarf_attr(die, second, &attribute) == nullptr)
        return nullptr;
    return dwarf_formstring(&attribute);
}

// One of the two tables of a .dwp that give each unit's share of each section.
class UnitIndex {
public:
    struct SectionShare {
        u64 section, offset, size;  // `section` is the table's number of the section (DW_SECT_…)
    };

    UnitIndex() = default;
    explicit UnitIndex(Bytes bytes) : bytes_(bytes) {
        // Version 2 has a field of four bytes, version 5 one of two bytes and two of padding.
        version_ = static_cast<unsigned>(read_number(bytes, 0, 2));
        columns_ = read_number(bytes, 4, 4);
        rows_ = read_number(bytes, 8, 4);
        slots_ = read_number(bytes, 12, 4);
        if (version_ != 2 && version_ != 5) slots_ = 0;
        // If the number of slots is not a power of two, a search might never end.
        if ((slots_ & (slots_ - 1)) != 0 || columns_ > 16) slots_ = 0;
    }
    unsigned version() const { return version_; }

    std::vector<SectionShare> shares(u64 signature) const {
        std::vector<SectionShare> found;
        if (slots_ == 0) return found;
        const u64 mask = slots_ - 1, step = (signature >> 32 & mask) | 1;
        u64 slot = signature & mask;
        for (u64 tries = 0; tries < slots_; ++tries, slot = (slot + step) & mask) {
            const u64 row = read_number(bytes_, rows_at() + 4 * slot, 4);
            if (row == 0) return found;
            if (read_number(bytes_, 16 + 8 * slot, 8) != signature) continue;
            if (row > rows_) return found;
            const u64 offsets = rows_at() + 4 * slots_ + 4 * columns_;
            for (u64 column = 0; column < columns_; ++column) {
                const u64 cell = 4 * ((row - 1) * columns_ + column);
                found.push_back({read_number(bytes_, rows_at() + 4 * slots_ + 4 * column, 4),
                                 read_number(bytes_, offsets + cell, 4),
                                 read_number(bytes_, offsets + 4 * columns_ * rows_ + cell, 4)});
            }
            return found;
        }
        return found;
    }

private:
    u64 rows_at() const { return 16 + 8 * slots_; }
    Bytes bytes_;
    unsigned version_ = 0;
    u64 columns_ = 0, rows_ = 0, slots_ = 0;
};

// The meaning of the numbers in a table's head, in version 2 (which pre-standard DWARF 4 uses) and in version
// 5.
const char* section_name(unsigned version, u64 number) {
    static constexpr std::array<const char*, 9> kTwo{
        nullptr,           ".debug_info.dwo", ".debug_types.dwo",       ".debug_abbrev.dwo",
        ".debug_line.dwo", ".debug_loc.dwo",  ".debug_str_offsets.dwo", ".debug_macinfo.dwo",
        ".debug_macro.dwo"};
    static constexpr std::array<const char*, 9> kFive{nullptr,
                                                      ".debug_info.dwo",
                                                      nullptr,
                                                      ".debug_abbrev.dwo",
                                                      ".debug_line.dwo",
                                                      ".debug_loclists.dwo",
                                                      ".debug_str_offsets.dwo",
                                                      ".debug_macro.dwo",
                                                      ".debug_rnglists.dwo"};
    if (number >= kTwo.size()) return nullptr;
    return version == 2 ? kTwo[number] : kFive[number];
}

}  // namespace

std::optional<Dwarf_Die> find_unit(Dwarf* dwarf, int wanted, u64 id) {
    Dwarf_CU* unit = nullptr;
    while (dwarf_get_units(dwarf, unit, &unit, nullptr, nullptr, nullptr, nullptr) == 0) {
        std::uint8_t kind;
        std::uint64_t found;
        Dwarf_Die die, type;
        if (dwarf_cu_info(unit, nullptr, &kind, &die, nullptr, &found, nullptr, nullptr) != 0) continue;
        const bool is_type = kind == DW_UT_type || kind == DW_UT_split_type;
        if (is_type != (wanted == DW_UT_type) || found != id) continue;
        if (!is_type) return die;
        if (dwarf_cu_info(unit, nullptr, &kind, nullptr, &type, nullptr, nullptr, nullptr) == 0) return type;
    }
    return std::nullopt;
}

class DwpFile {
public:
    explicit DwpFile(std::string path) : path_(std::move(path)), whole_(FileMapping(path_, 0)) {
        units_ = UnitIndex(section_bytes(whole_.elf(), ".debug_cu_index"));
        types_ = UnitIndex(section_bytes(whole_.elf(), ".debug_tu_index"));
    }

    std::optional<Dwarf_Die> unit(u64 id) { return find(units_, id, DW_UT_split_compile); }
    std::optional<Dwarf_Die> type(u64 signature) { return find(types_, signature, DW_UT_type); }
    bool owns(const Dwarf* dwarf) const {
        for (const auto& [key, slice] : slices_)
            if (slice != nullptr && slice->dwarf() == dwarf) return true;
        return false;
    }

private:
    std::optional<Dwarf_Die> find(const UnitIndex& index, u64 id, int kind) {
        std::unique_ptr<DwarfFile>& slice = slices_[{kind, id}];
        if (slice == nullptr) {
            const std::vector<UnitIndex::SectionShare> shares = index.shares(id);
            if (shares.empty()) return std::nullopt;
            slice = cut(index.version(), shares);
        }
        if (slice == nullptr) return std::nullopt;
        if (auto found = find_unit(slice->dwarf(), kind, id)) return found;
        // Before DWARF 5 types had a section of their own. libdw lists that section only behind another one,
        // but accepts an offset in it: behind the header of the only unit.
        constexpr Dwarf_Off kHeader = 23;
        Dwarf_Die unit, type;
        if (kind != DW_UT_type || dwarf_offdie_types(slice->dwarf(), kHeader, &unit) == nullptr ||
            dwarf_cu_info(unit.cu, nullptr, nullptr, nullptr, &type, nullptr, nullptr, nullptr) != 0)
            return std::nullopt;
        return type;
    }

    // The place of a section's bytes in the file; false for compressed sections, because headers cannot point
    // at parts of them.
    bool place_of(const char* name, u64& offset, u64& size) const {
        std::size_t names;
        if (elf_getshdrstrndx(whole_.elf(), &names) != 0) return false;
        for (Elf_Scn* section = nullptr; (section = elf_nextscn(whole_.elf(), section)) != nullptr;) {
            const Elf64_Shdr* header = elf64_getshdr(section);
            if (header == nullptr) return false;
            const char* found = elf_strptr(whole_.elf(), names, header->sh_name);
            if (found == nullptr || std::strcmp(found, name) != 0) continue;
            offset = header->sh_offset;
            size = header->sh_size;
            return (header->sh_flags & SHF_COMPRESSED) == 0;
        }
        return false;
    }

    std::unique_ptr<DwarfFile> cut(unsigned version,
                                   const std::vector<UnitIndex::SectionShare>& shares) const {
        FileMapping mapping(path_, kRoom);
        if (!mapping) return nullptr;
        std::vector<Elf64_Shdr> headers(1);
        std::string names(1, '\0');
        auto add = [&](const char* name, u64 offset, u64 size) {
            Elf64_Shdr header{};
            header.sh_name = static_cast<Elf64_Word>(names.size());
            names.append(name).push_back('\0');
            header.sh_type = SHT_PROGBITS;
            header.sh_offset = offset;
            header.sh_size = size;
            header.sh_addralign = 1;
            headers.push_back(header);
        };
        u64 offset, size;
        for (const UnitIndex::SectionShare& share : shares) {
            const char* name = section_name(version, share.section);
            if (name == nullptr || share.size == 0) continue;
            if (!place_of(name, offset, size) || share.offset > size || share.size > size - share.offset)
                return nullptr;
            add(name, kRoom + offset + share.offset, share.size);
        }
        if (place_of(".debug_str.dwo", offset, size)) add(".debug_str.dwo", kRoom + offset, size);
        add(".shstrtab", sizeof(Elf64_Ehdr) + (headers.size() + 1) * sizeof(Elf64_Shdr), 0);
        headers.back().sh_type = SHT_STRTAB;
        headers.back().sh_size = names.size();

        Elf64_Ehdr head;
        std::memcpy(&head, mapping.begin() + kRoom, sizeof head);
        if (std::memcmp(head.e_ident, ELFMAG, SELFMAG) != 0 || head.e_ident[EI_CLASS] != ELFCLASS64)
            return nullptr;
        head.e_phoff = 0;
        head.e_phnum = 0;
        head.e_shoff = sizeof head;
        head.e_shentsize = sizeof(Elf64_Shdr);
        head.e_shnum = static_cast<Elf64_Half>(headers.size());
        head.e_shstrndx = static_cast<Elf64_Half>(headers.size() - 1);
        char* at = mapping.begin();
        std::memcpy(at, &head, sizeof head);
        std::memcpy(at + sizeof head, headers.data(), headers.size() * sizeof headers[0]);
        std::memcpy(at + headers.back().sh_offset, names.data(), names.size());
        return std::make_unique<DwarfFile>(std::move(mapping));
    }

    std::string path_;
    ElfFile whole_;  // without debug information: opening that would uncompress sections, and their places
                     // are wanted
    UnitIndex units_, types_;
    std::map<std::pair<int, u64>, std::unique_ptr<DwarfFile>> slices_;
};

SplitUnits::SplitUnits(std::vector<std::string> binaries, std::vector<std::string> dirs)
    : binaries_(std::move(binaries)), dirs_(std::move(dirs)) {}
SplitUnits::~SplitUnits() = default;

std::optional<Dwarf_Die> SplitUnits::in_package(u64 id) {
    if (!std::exchange(packages_opened_, true)) {
        for (const std::string& binary : binaries_) {
            const std::string name = fs::path(binary).filename().string() + ".dwp";
            std::vector<fs::path> candidates{binary + ".dwp"};
            for (const std::string& dir : dirs_) candidates.push_back(fs::path(dir) / name);
            std::error_code error;
            for (const fs::path& path : candidates)
                if (fs::is_regular_file(path, error))
                    packages_.push_back(std::make_unique<DwpFile>(path.string()));
        }
    }
    for (const auto& package : packages_)
        if (auto unit = package->unit(id)) return unit;
    return std::nullopt;
}

std::optional<Dwarf_Die> SplitUnits::in_file(const std::string& path, u64 id, bool& other_build) {
    std::unique_ptr<DwarfFile>& file = files_[path];
    if (file == nullptr) file = std::make_unique<DwarfFile>(FileMapping(path, 0));
    if (file->dwarf() == nullptr) return std::nullopt;
    auto unit = find_unit(file->dwarf(), DW_UT_split_compile, id);
    if (!unit) other_build = true;
    return unit;
}

std::optional<Dwarf_Die> SplitUnits::find(Dwarf_Die skeleton, u64 id, std::vector<std::string>& missing) {
    if (auto unit = in_package(id)) return unit;
    const char* name = text_of(&skeleton, DW_AT_dwo_name, DW_AT_GNU_dwo_name);
    if (name == nullptr) return std::nullopt;
    const char* folder = text_of(&skeleton, DW_AT_comp_dir, DW_AT_comp_dir);
    std::vector<fs::path> candidates;
    // An absolute name stays unchanged when it is joined.
    if (folder != nullptr || fs::path(name).is_absolute())
        candidates.push_back(fs::path(folder == nullptr ? "" : folder) / name);
    std::vector<std::string> dirs;
    for (const std::string& binary : binaries_) dirs.push_back(fs::path(binary).parent_path().string());
    dirs.insert(dirs.end(), dirs_.begin(), dirs_.end());
    for (const std::string& dir : dirs) {
        candidates.push_back(fs::path(dir) / fs::path(name).relative_path());
        candidates.push_back(fs::path(dir) / fs::path(name).filename());
    }
    bool other_build = false;
    for (const fs::path& path : candidates)
        if (auto unit = in_file(path.lexically_normal().string(), id, other_build)) return unit;
    missing.push_back(std::string(name) + (other_build ? " is of another build" : " is not there"));
    return std::nullopt;
}

std::optional<Dwarf_Die> SplitUnits::type_by_signature(Dwarf* user, u64 signature) {
    for (const auto& package : packages_)
        if (package->owns(user)) return package->type(signature);
    return std::nullopt;
}

}  // namespace memspy::report::names
