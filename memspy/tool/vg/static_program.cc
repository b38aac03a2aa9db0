// SPDX-License-Identifier: GPL-2.0-or-later
#include "vg/static_program.h"

#include <elf.h>

#include "rt/vector.h"
#include "vg/mapped_file.h"
#include "vg/modules.h"

// Declared by the core for itself only.
extern const HChar* VG_(libdir);  // the folder of the preload libraries
extern "C" {
Addr VG_(am_get_advisory_client_simple)(Addr start, SizeT bytes, Bool* ok);
SysRes VG_(am_mmap_file_fixed_client)(Addr start, SizeT bytes, UInt protection, Int fd, Off64T offset);
SysRes VG_(am_mmap_anon_fixed_client)(Addr start, SizeT bytes, UInt protection);
}

namespace memspy::vg {
namespace {

#if defined(VGA_amd64)
constexpr const HChar* kPlatform = "amd64-linux";
constexpr u32 kRelative = R_X86_64_RELATIVE, kGlobal = R_X86_64_GLOB_DAT, kCalled = R_X86_64_JUMP_SLOT,
              kWord = R_X86_64_64;
#else
constexpr const HChar* kPlatform = "arm64-linux";
constexpr u32 kRelative = R_AARCH64_RELATIVE, kGlobal = R_AARCH64_GLOB_DAT, kCalled = R_AARCH64_JUMP_SLOT,
              kWord = R_AARCH64_ABS64;
#endif

const HChar* loaded = nullptr;  // the program's file

bool is_elf(const MappedFile& file) {
    return file.size() >= sizeof(Elf64_Ehdr) && VG_(memcmp)(file.data(), ELFMAG, SELFMAG) == 0 &&
           file.data()[EI_CLASS] == ELFCLASS64;
}

// `count` elements at `offset` of the file; null if it ends before them.
template <typename T>
const T* part_of(const MappedFile& file, u64 offset, u64 count) {
    if (offset > file.size() || count > (file.size() - offset) / sizeof(T)) return nullptr;
    return reinterpret_cast<const T*>(file.data() + offset);
}

// The program: its file, and where it is in memory.
struct Program {
    const HChar* path = nullptr;
    Address bias = 0;  // of addresses in the file
};

Program running_program() {
    Program program;
    const Address headers = program_headers();
    const NSegment* const segment = headers == 0 ? nullptr : VG_(am_find_nsegment)(headers);
    if (segment == nullptr || segment->kind != SkFileC) return program;
    program.path = VG_(am_get_filename)(segment);
    const auto* header = reinterpret_cast<const Elf64_Ehdr*>(segment->start);
    if (header->e_type == ET_DYN) program.bias = segment->start;
    return program;
}

// The functions that the program's symbols name.
class ProgramSymbols {
public:
    explicit ProgramSymbols(const Program& program) : file_(program.path), bias_(program.bias) {
        if (!is_elf(file_)) return;
        const auto& header = *part_of<Elf64_Ehdr>(file_, 0, 1);
        const auto* sections = part_of<Elf64_Shdr>(file_, header.e_shoff, header.e_shnum);
        for (usize i = 0; sections != nullptr && i < header.e_shnum; ++i) {
            const Elf64_Shdr& section = sections[i];
            if (section.sh_type != SHT_SYMTAB || section.sh_link >= header.e_shnum) continue;
            const Elf64_Shdr& strings = sections[section.sh_link];
            count_ = section.sh_size / sizeof(Elf64_Sym);
            symbols_ = part_of<Elf64_Sym>(file_, section.sh_offset, count_);
            names_ = part_of<HChar>(file_, strings.sh_offset, strings.sh_size);
            name_bytes_ = strings.sh_size;
        }
    }
    // 0 if there is none.
    Address function(const HChar* name) const {
        if (symbols_ == nullptr || names_ == nullptr || name_bytes_ == 0 || names_[name_bytes_ - 1] != '\0')
            return 0;
        for (usize i = 0; i < count_; ++i) {
            const Elf64_Sym& symbol = symbols_[i];
            if (ELF64_ST_TYPE(symbol.st_info) == STT_FUNC && symbol.st_shndx != SHN_UNDEF &&
                symbol.st_name < name_bytes_ && VG_(strcmp)(names_ + symbol.st_name, name) == 0)
                return symbol.st_value + bias_;
        }
        return 0;
    }

private:
    MappedFile file_;
    Address bias_;
    const Elf64_Sym* symbols_ = nullptr;
    const HChar* names_ = nullptr;
    usize count_ = 0, name_bytes_ = 0;
};

// Maps a library's segments at a place of the core's choice. Returns their bias, 0 if there is no room.
Address map_segments(const HChar* path, const MappedFile& file, const Elf64_Ehdr& header) {
    const auto* programs = part_of<Elf64_Phdr>(file, header.e_phoff, header.e_phnum);
    if (programs == nullptr) return 0;
    Address end = 0;
    for (usize i = 0; i < header.e_phnum; ++i)
        if (programs[i].p_type == PT_LOAD) end = VG_PGROUNDUP(programs[i].p_vaddr + programs[i].p_memsz);
    Bool ok = False;
    const Address bias = VG_(am_get_advisory_client_simple)(0, end, &ok);
    const Int descriptor = VG_(fd_open)(path, VKI_O_RDONLY, 0);
    if (descriptor < 0 || !ok) return 0;
    for (usize i = 0; i < header.e_phnum; ++i) {
        const Elf64_Phdr& segment = programs[i];
        if (segment.p_type != PT_LOAD) continue;
        const UInt protection = ((segment.p_flags & PF_R) != 0 ? VKI_PROT_READ : 0) |
                                ((segment.p_flags & PF_W) != 0 ? VKI_PROT_WRITE : 0) |
                                ((segment.p_flags & PF_X) != 0 ? VKI_PROT_EXEC : 0);
        const Address begin = VG_PGROUNDDN(bias + segment.p_vaddr);
        const Address file_end = bias + segment.p_vaddr + segment.p_filesz;
        const Address mapped_end = VG_PGROUNDUP(file_end);
        const Address memory_end = VG_PGROUNDUP(bias + segment.p_vaddr + segment.p_memsz);
        ok = ok &&
             !sr_isError(VG_(am_mmap_file_fixed_client)(begin, mapped_end - begin, protection, descriptor,
                                                        static_cast<Off64T>(VG_PGROUNDDN(segment.p_offset))));
        if (ok && memory_end > mapped_end)
            ok = !sr_isError(VG_(am_mmap_anon_fixed_client)(mapped_end, memory_end - mapped_end, protection));
        if (ok && segment.p_memsz > segment.p_filesz)
            VG_(memset)(reinterpret_cast<void*>(file_end), 0, mapped_end - file_end);
    }
    VG_(close)(descriptor);
    return ok ? bias : 0;
}

// What is not the library's own is the program's, or 0. What is thread-local stays as it is: there is no room for it in
// the program's threads, and only wrappers of MPI have such variables.
void relocate(Address bias, const Elf64_Ehdr& header, const ProgramSymbols& others) {
    const auto* programs = reinterpret_cast<const Elf64_Phdr*>(bias + header.e_phoff);
    const Elf64_Dyn* entry = nullptr;
    for (usize i = 0; i < header.e_phnum; ++i)
        if (programs[i].p_type == PT_DYNAMIC)
            entry = reinterpret_cast<const Elf64_Dyn*>(bias + programs[i].p_vaddr);
    if (entry == nullptr) return;
    u64 value[DT_JMPREL + 1] = {};
    for (; entry->d_tag != DT_NULL; ++entry)
        if (entry->d_tag >= 0 && entry->d_tag <= DT_JMPREL) value[entry->d_tag] = entry->d_un.d_val;
    const auto* symbols = reinterpret_cast<const Elf64_Sym*>(bias + value[DT_SYMTAB]);
    const auto* names = reinterpret_cast<const HChar*>(bias + value[DT_STRTAB]);
    const auto apply = [&](Address table, u64 bytes) {
        for (u64 done = 0; done < bytes; done += sizeof(Elf64_Rela)) {
            const auto& each = *reinterpret_cast<const Elf64_Rela*>(bias + table + done);
            const u32 type = ELF64_R_TYPE(each.r_info);
            auto& word = *reinterpret_cast<Address*>(bias + each.r_offset);
            if (type == kRelative) word = bias + static_cast<Address>(each.r_addend);
            if (type != kGlobal && type != kCalled && type != kWord) continue;
            const Elf64_Sym& symbol = symbols[ELF64_R_SYM(each.r_info)];
            word = symbol.st_shndx != SHN_UNDEF ? bias + symbol.st_value
                                                : others.function(names + symbol.st_name);
            if (type == kWord) word += static_cast<Address>(each.r_addend);
        }
    };
    apply(value[DT_RELA], value[DT_RELASZ]);
    apply(value[DT_JMPREL], value[DT_PLTRELSZ]);
}

bool load(const HChar* name, const ProgramSymbols& others) {
    rt::Vector<HChar> path;
    path.resize(VG_(strlen)(VG_(libdir)) + VG_(strlen)(name) + VG_(strlen)(kPlatform) + 20);
    VG_(sprintf)(path.data(), "%s/vgpreload_%s-%s.so", VG_(libdir), name, kPlatform);
    const MappedFile file(path.data());
    if (!is_elf(file)) return false;
    const auto& header = *part_of<Elf64_Ehdr>(file, 0, 1);
    const Address bias = map_segments(path.data(), file, header);
    if (bias == 0) return false;
    relocate(bias, header, others);
    return true;
}

}  // namespace

bool load_into_static_program() {
    if (loaded != nullptr) return true;
    if (!dynamic_linker().empty()) return false;
    const Program program = running_program();
    if (program.path == nullptr) return false;
    const ProgramSymbols symbols(program);
    if (symbols.function("malloc") == 0 || symbols.function("free") == 0) return false;
    // The core's library replaces a function that the program chooses by the processor when it has chosen.
    if (!load("core", symbols) || !load("memspy", symbols)) return false;
    loaded = intern(program.path);
    return true;
}

bool is_static_program(const char* file) { return loaded != nullptr && VG_(strcmp)(file, loaded) == 0; }
bool is_static_program_loaded() { return loaded != nullptr; }

}  // namespace memspy::vg
