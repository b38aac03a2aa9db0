// SPDX-License-Identifier: GPL-2.0-or-later
#include "dwarf/sections.h"

#include <elf.h>

#include "rt/text.h"

namespace memspy::dwarf {
namespace {

template <typename Record>
bool read(FileBytes file, u64 offset, Record* record) {
    const FileBytes bytes = file.from(offset, sizeof *record);
    if (bytes.size != sizeof *record) return false;
    __builtin_memcpy(record, bytes.data, sizeof *record);
    return true;
}

struct SectionName {
    const char* name;
    FileBytes Sections::*bytes;
};
constexpr SectionName kNames[] = {
    {".debug_info", &Sections::info},       {".debug_abbrev", &Sections::abbrev},
    {".debug_str", &Sections::str},         {".debug_line_str", &Sections::line_str},
    {".debug_addr", &Sections::addr},       {".debug_str_offsets", &Sections::str_offsets},
    {".debug_ranges", &Sections::ranges},   {".debug_rnglists", &Sections::rnglists},
    {".debug_loc", &Sections::loc},         {".debug_loclists", &Sections::loclists},
    {".debug_aranges", &Sections::aranges}, {".debug_line", &Sections::line},
};

template <typename F>
void for_each_section(FileBytes file, F f) {
    Elf64_Ehdr header;
    if (!read(file, 0, &header) || __builtin_memcmp(header.e_ident, ELFMAG, SELFMAG) != 0 ||
        header.e_ident[EI_CLASS] != ELFCLASS64 || header.e_shentsize != sizeof(Elf64_Shdr))
        return;
    for (u32 i = 0; i < header.e_shnum; ++i) {
        Elf64_Shdr section;
        if (read(file, header.e_shoff + u64{i} * sizeof section, &section)) f(header, section);
    }
}

}  // namespace

Sections::Sections(FileBytes whole) : file(whole) {
    for_each_section(file, [&](const Elf64_Ehdr& header, const Elf64_Shdr& section) {
        Elf64_Shdr names;
        if (header.e_machine == EM_AARCH64) processor = Processor::Arm64;
        if (section.sh_type == SHT_NOBITS || (section.sh_flags & SHF_COMPRESSED) != 0 ||
            !read(file, header.e_shoff + u64{header.e_shstrndx} * sizeof names, &names))
            return;
        Cursor cursor(file.from(names.sh_offset, names.sh_size), section.sh_name);
        const char* name = cursor.text();
        if (name == nullptr) return;
        for (const SectionName& known : kNames)
            if (rt::are_same(known.name, name))
                this->*known.bytes = file.from(section.sh_offset, section.sh_size);
    });
}

FileBytes Sections::code_at(u64 address) const {
    FileBytes found;
    for_each_section(file, [&](const Elf64_Ehdr&, const Elf64_Shdr& section) {
        if ((section.sh_flags & SHF_EXECINSTR) == 0 || section.sh_type == SHT_NOBITS) return;
        const u64 inside = address - section.sh_addr;
        if (inside < section.sh_size) found = file.from(section.sh_offset + inside, section.sh_size - inside);
    });
    return found;
}

}  // namespace memspy::dwarf
