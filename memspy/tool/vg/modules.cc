// SPDX-License-Identifier: GPL-2.0-or-later
#include "vg/modules.h"

#include <elf.h>

#include <new>

#include "rt/global.h"
#include "rt/hash_map.h"
#include "rt/runtime_libraries.h"
#include "vg/file.h"
#include "vg/vg.h"

// Only the core's own headers declare these.
extern "C" {
void VG_(demangle)(Bool cxx, Bool z, const HChar* original, const HChar** result);
extern UWord* VG_(client_auxv);  // pairs of type and value, ended by AT_NULL
}

namespace memspy::vg {
namespace {

// More than any valid file has; a broken file is not read.
constexpr usize kMostProgramHeaders = 512;
constexpr usize kMostSections = 20'000;
constexpr usize kMostSectionNames = usize{1} << 20;
constexpr usize kMostNotes = usize{64} << 10;
constexpr usize kMostBuildId = 64;  // bytes; usually 20

rt::Global<rt::Vector<Module*>> modules;
rt::Global<rt::HashMap<const char*>> strings;

bool readable(Address a, usize bytes) { return VG_(am_is_valid_for_client)(a, bytes, VKI_PROT_READ); }

bool is_elf(const Elf64_Ehdr& header) {
    return VG_(memcmp)(header.e_ident, ELFMAG, SELFMAG) == 0 && header.e_ident[EI_CLASS] == ELFCLASS64 &&
           header.e_phentsize == sizeof(Elf64_Phdr) && header.e_phnum <= kMostProgramHeaders;
}

// The build-id in a chain of notes, as hexadecimal text, or null.
const char* build_id_in(const unsigned char* notes, usize bytes) {
    constexpr usize kHead = sizeof(Elf64_Nhdr);
    auto padded = [](usize n) { return (n + 3) & ~usize{3}; };
    for (usize at = 0; at + kHead <= bytes;) {
        Elf64_Nhdr note;
        VG_(memcpy)(&note, notes + at, kHead);
        const usize name = at + kHead;
        const usize content = name + padded(note.n_namesz);
        if (content < name || content > bytes || note.n_descsz > bytes - content) return nullptr;
        if (note.n_type == NT_GNU_BUILD_ID && note.n_namesz == 4 &&
            VG_(memcmp)(notes + name, "GNU", 4) == 0 && note.n_descsz > 0 && note.n_descsz <= kMostBuildId) {
            char text[2 * kMostBuildId + 1];
            for (usize i = 0; i < note.n_descsz; ++i) VG_(sprintf)(text + 2 * i, "%02x", notes[content + i]);
            return intern(text);
        }
        at = content + padded(note.n_descsz);
    }
    return nullptr;
}

// The mapping of the file's first bytes: the lowest one of the same file at or below its code.
Address image_start(Address text) {
    const NSegment* segment = VG_(am_find_nsegment)(text);
    if (segment == nullptr || segment->kind != SkFileC) return 0;
    while (segment->offset != 0) {
        const NSegment* below = VG_(am_find_nsegment)(segment->start - 1);
        if (below == nullptr || below->kind != SkFileC || below->dev != segment->dev ||
            below->ino != segment->ino)
            return 0;
        segment = below;
    }
    return segment->start;
}

void take_program_header(Module& module, const Elf64_Phdr& program, bool& first) {
    if (program.p_type == PT_TLS) {
        const usize align = program.p_align == 0 ? 1 : program.p_align;
        module.tls_bytes = (program.p_memsz + align - 1) / align * align;
        module.tls_align = align;
    }
    if (program.p_type != PT_LOAD) return;
    const Address begin = module.bias + program.p_vaddr;
    const Address end = begin + program.p_memsz;
    if (first || begin < module.begin) module.begin = begin;
    if (first || end > module.end) module.end = end;
    first = false;
}

// Reads the image in memory. Returns false if it is not there.
bool read_image(Module& module) {
    const Address start = image_start(module.text);
    if (start == 0 || !readable(start, sizeof(Elf64_Ehdr))) return false;
    const auto& header = *reinterpret_cast<const Elf64_Ehdr*>(start);
    if (!is_elf(header)) return false;
    const Address programs = start + header.e_phoff;
    if (programs < start || !readable(programs, header.e_phnum * sizeof(Elf64_Phdr))) return false;
    bool first = true;
    for (usize i = 0; i < header.e_phnum; ++i) {
        const auto& program = reinterpret_cast<const Elf64_Phdr*>(programs)[i];
        take_program_header(module, program, first);
        const Address notes = module.bias + program.p_vaddr;
        if (program.p_type == PT_NOTE && module.build_id == nullptr && program.p_memsz <= kMostNotes &&
            readable(notes, program.p_memsz))
            module.build_id = build_id_in(reinterpret_cast<const unsigned char*>(notes), program.p_memsz);
    }
    return true;
}

// Reads the same data from the file, and the sections.
void read_file(Module& module, bool image_known) {
    const File file(module.path);
    Elf64_Ehdr header;
    if (!file.read(0, &header, sizeof header) || !is_elf(header)) return;

    bool first = true;
    const char* build_id = nullptr;
    Module found;
    found.bias = module.bias;
    for (usize i = 0; i < header.e_phnum; ++i) {
        Elf64_Phdr program;
        if (!file.read(header.e_phoff + i * sizeof program, &program, sizeof program)) return;
        take_program_header(found, program, first);
        if (program.p_type != PT_NOTE || build_id != nullptr || program.p_filesz > kMostNotes) continue;
        rt::Vector<unsigned char> notes;
        notes.resize(program.p_filesz);
        if (file.read(program.p_offset, notes.data(), notes.size()))
            build_id = build_id_in(notes.data(), notes.size());
    }
    // Interned, so pointers can be compared.
    if (image_known && build_id != module.build_id) return;
    if (!image_known) {
        module.build_id = build_id;
        module.tls_bytes = found.tls_bytes;
        module.tls_align = found.tls_align;
        if (!first) {
            module.begin = found.begin;
            module.end = found.end;
        }
    }

    if (header.e_shentsize != sizeof(Elf64_Shdr) || header.e_shnum == 0 || header.e_shnum > kMostSections ||
        header.e_shstrndx >= header.e_shnum)
        return;
    rt::Vector<Elf64_Shdr> headers;
    headers.resize(header.e_shnum);
    if (!file.read(header.e_shoff, headers.data(), headers.size() * sizeof(Elf64_Shdr))) return;
    for (const Elf64_Shdr& section : headers) {
        // A stripped file only has the dynamic table.
        const bool whole = section.sh_type == SHT_SYMTAB;
        if (!whole && (section.sh_type != SHT_DYNSYM || module.symbols.bytes != 0)) continue;
        if (section.sh_link >= header.e_shnum) continue;
        const Elf64_Shdr& strings_at = headers[section.sh_link];
        module.symbols = {section.sh_offset, section.sh_size, strings_at.sh_offset, strings_at.sh_size,
                          whole};
        if (whole) break;
    }

    const Elf64_Shdr& names_at = headers[header.e_shstrndx];
    if (names_at.sh_size == 0 || names_at.sh_size > kMostSectionNames) return;
    rt::Vector<char> names;
    names.resize(names_at.sh_size + 1);  // zero-terminated whatever the file has
    if (!file.read(names_at.sh_offset, names.data(), names_at.sh_size)) return;

    module.sections =
        new (rt::allocate(sizeof(rt::Vector<ModuleSection>), "memspy.modules")) rt::Vector<ModuleSection>();
    for (const Elf64_Shdr& section : headers) {
        if (section.sh_name >= names_at.sh_size || section.sh_size == 0) continue;
        const char* const name = names.data() + section.sh_name;
        if (VG_STREQ(name, ".debug_line")) module.has_lines = true;
        if ((section.sh_flags & SHF_ALLOC) == 0 || (section.sh_flags & SHF_TLS) != 0) continue;
        module.sections->push_back({module.bias + section.sh_addr, section.sh_size, intern(name)});
    }
}

bool is_module(const Module& module, const DebugInfo* info) {
    return module.text == VG_(DebugInfo_get_text_avma)(info) &&
           module.text_size == VG_(DebugInfo_get_text_size)(info) &&
           VG_(strcmp)(module.path, VG_(DebugInfo_get_filename)(info)) == 0;
}

ModuleId id_of(const DebugInfo* info) {
    // Newest first: a module may have been loaded, unloaded and loaded again.
    for (usize i = modules->size(); i > 0; --i)
        if (is_module(*(*modules)[i - 1], info)) return static_cast<ModuleId>(i);

    auto* module = new (rt::allocate(sizeof(Module), "memspy.modules")) Module();
    module->path = intern(VG_(DebugInfo_get_filename)(info));
    module->bias = static_cast<u64>(VG_(DebugInfo_get_text_bias)(info));
    module->text = module->begin = VG_(DebugInfo_get_text_avma)(info);
    module->text_size = VG_(DebugInfo_get_text_size)(info);
    module->end = module->text + module->text_size;
    read_file(*module, read_image(*module));
    modules->push_back(module);
    return static_cast<ModuleId>(modules->size());
}

// The core also lists the tool itself.
bool is_of_client(const DebugInfo* info) {
    const NSegment* segment = VG_(am_find_nsegment)(VG_(DebugInfo_get_text_avma)(info));
    return segment == nullptr || (segment->kind != SkFileV && segment->kind != SkAnonV);
}

bool is_loaded(const Module& module) {
    const DebugInfo* info = VG_(find_DebugInfo)(VG_(current_DiEpoch)(), module.text);
    return info != nullptr && is_module(module, info);
}

ModuleId loaded_module_around(Address a) {
    for (usize i = modules->size(); i > 0; --i) {
        const Module& module = *(*modules)[i - 1];
        if (a >= module.begin && a < module.end && is_loaded(module)) return static_cast<ModuleId>(i);
    }
    return ModuleId::None;
}

}  // namespace

ModuleId module_of_code(Address a) {
    if (const DebugInfo* info = VG_(find_DebugInfo)(VG_(current_DiEpoch)(), a)) return id_of(info);
    // The core knows the image by its .text: not by its procedure linkage table.
    if (const ModuleId loaded = loaded_module_around(a); loaded != ModuleId::None) return loaded;
    ModuleId gone = ModuleId::None;
    for (usize i = 0; i < modules->size(); ++i) {
        const Module& module = *(*modules)[i];
        if (a - module.text >= module.text_size) continue;
        if (gone != ModuleId::None) return ModuleId::None;
        gone = static_cast<ModuleId>(i + 1);
    }
    return gone;
}

ModuleId module_of_data(Address a) {
    ModuleId id = loaded_module_around(a);
    if (id != ModuleId::None) return id;
    know_modules();
    return loaded_module_around(a);
}

const Module& module(ModuleId id) { return *(*modules)[static_cast<usize>(id) - 1]; }
u32 module_count() { return static_cast<u32>(modules->size()); }

const ModuleSection* section_of(const Module& module, Address a) {
    if (module.sections == nullptr) return nullptr;
    for (const ModuleSection& section : *module.sections)
        if (a - section.begin < section.size) return &section;
    return nullptr;
}

void know_modules() {
    // id_of calls nothing that changes the order of the core's list.
    for (const DebugInfo* info = VG_(next_DebugInfo)(nullptr); info != nullptr;
         info = VG_(next_DebugInfo)(info))
        if (VG_(DebugInfo_get_text_size)(info) > 0 && is_of_client(info)) id_of(info);
}

Address program_headers() {
    if (VG_(client_auxv) == nullptr) return 0;
    for (const UWord* entry = VG_(client_auxv); entry[0] != AT_NULL; entry += 2)
        if (entry[0] == AT_PHDR) return entry[1];
    return 0;
}

ModuleId main_module() {
    const Address headers = program_headers();
    return headers == 0 ? ModuleId::None : module_of_data(headers);
}

bool data_symbol(Address a, const char** name, Address* start) {
    PtrdiffT offset = 0;
    if (!VG_(get_datasym_and_offset)(VG_(current_DiEpoch)(), a, name, &offset)) return false;
    *start = a - static_cast<Address>(offset);
    return true;
}

const char* demangled(const char* name) {
    const HChar* result = name;
    VG_(demangle)(True, False, name, &result);
    return result;
}

const char* intern(const char* text) {
    u64 key = 0xCBF29CE484222325u;  // FNV-1a
    for (const char* c = text; *c != '\0'; ++c) key = (key ^ static_cast<unsigned char>(*c)) * 0x100000001B3u;
    for (;; ++key) {
        const char** known = strings->find(key);
        if (known == nullptr) break;
        if (VG_(strcmp)(*known, text) == 0) return *known;
    }
    const usize bytes = VG_(strlen)(text) + 1;
    char* copy = static_cast<char*>(rt::allocate(bytes, "memspy.strings"));
    VG_(memcpy)(copy, text, bytes);
    (*strings)[key] = copy;
    return copy;
}

CodeRange dynamic_linker() {
    Int count = 0;
    Addr* starts = VG_(get_segment_starts)(SkFileC, &count);
    CodeRange found;
    for (Int i = 0; i < count; ++i) {
        const NSegment* segment = VG_(am_find_nsegment)(starts[i]);
        const HChar* path = segment == nullptr ? nullptr : VG_(am_get_filename)(segment);
        if (path == nullptr || !rt::is_c_library(path)) continue;
        if (found.empty()) found.begin = segment->start;
        found.end = segment->end + 1;
    }
    VG_(free)(starts);
    return found;
}

}  // namespace memspy::vg
