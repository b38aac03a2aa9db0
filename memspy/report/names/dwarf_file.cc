// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/names/dwarf_file.h"

#include <fcntl.h>
#include <gelf.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstring>
#include <utility>

namespace memspy::report::names {

u64 read_number(Bytes bytes, u64 offset, unsigned size) {
    if (offset > bytes.size() || bytes.size() - offset < size) return 0;
    u64 value = 0;
    for (unsigned i = 0; i < size; ++i) value |= u64{bytes[offset + i]} << (8 * i);
    return value;
}

u64 read_uleb(Bytes bytes, u64& offset) {
    u64 value = 0;
    for (unsigned shift = 0; offset < bytes.size(); shift += 7) {
        const unsigned char byte = bytes[offset++];
        if (shift < 64) value |= u64{byte & 0x7fu} << shift;
        if ((byte & 0x80) == 0) break;
    }
    return value;
}

Bytes section_bytes(Elf* elf, const char* name) {
    std::size_t names;
    if (elf == nullptr || elf_getshdrstrndx(elf, &names) != 0) return {};
    for (Elf_Scn* section = nullptr; (section = elf_nextscn(elf, section)) != nullptr;) {
        GElf_Shdr header;
        if (gelf_getshdr(section, &header) == nullptr || header.sh_type == SHT_NOBITS) continue;
        const char* found = elf_strptr(elf, names, header.sh_name);
        if (found == nullptr || std::strcmp(found, name) != 0) continue;
        if ((header.sh_flags & SHF_COMPRESSED) != 0 && elf_compress(section, 0, 0) < 0) return {};
        const Elf_Data* data = elf_rawdata(section, nullptr);
        if (data == nullptr || data->d_buf == nullptr) return {};
        return {static_cast<const unsigned char*>(data->d_buf), data->d_size};
    }
    return {};
}

FileMapping::FileMapping(const std::string& path, std::size_t room) {
    const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
    if (file < 0) return;
    struct stat about;
    if (::fstat(file, &about) == 0 && S_ISREG(about.st_mode) && about.st_size > 0) {
        const std::size_t bytes = static_cast<std::size_t>(about.st_size);
        void* all = ::mmap(nullptr, room + bytes, PROT_READ | PROT_WRITE,
                           MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        if (all != MAP_FAILED) {
            begin_ = static_cast<char*>(all);
            size_ = room + bytes;
            if (::mmap(begin_ + room, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_FIXED | MAP_NORESERVE,
                       file, 0) == MAP_FAILED) {
                ::munmap(std::exchange(begin_, nullptr), size_);
            }
        }
    }
    ::close(file);
}

FileMapping::FileMapping(FileMapping&& other) noexcept
    : begin_(std::exchange(other.begin_, nullptr)), size_(std::exchange(other.size_, 0)) {}

FileMapping& FileMapping::operator=(FileMapping&& other) noexcept {
    std::swap(begin_, other.begin_);
    std::swap(size_, other.size_);
    return *this;
}

FileMapping::~FileMapping() {
    if (begin_ != nullptr) ::munmap(begin_, size_);
}

ElfFile::ElfFile(FileMapping mapping) : mapping_(std::move(mapping)) {
    if (!mapping_) return;
    elf_version(EV_CURRENT);
    elf_ = elf_memory(mapping_.begin(), mapping_.size());
    if (elf_ != nullptr && elf_kind(elf_) != ELF_K_ELF) {
        elf_end(elf_);
        elf_ = nullptr;
    }
}

ElfFile::~ElfFile() {
    if (elf_ != nullptr) elf_end(elf_);
}

DwarfFile::DwarfFile(FileMapping mapping) : file_(std::move(mapping)) {
    if (file_.elf() != nullptr) dwarf_ = dwarf_begin_elf(file_.elf(), DWARF_C_READ, nullptr);
}

DwarfFile::~DwarfFile() {
    if (dwarf_ != nullptr) dwarf_end(dwarf_);
}

}  // namespace memspy::report::names
