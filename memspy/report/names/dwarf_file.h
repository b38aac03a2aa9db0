// SPDX-License-Identifier: GPL-2.0-or-later
//
// Debug information in a file, or in a part of one, mapped into memory; and the sections of an ELF file.
#pragma once

#include <elfutils/libdw.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>

namespace memspy::report::names {

using u64 = std::uint64_t;
using Bytes = std::span<const unsigned char>;

// A little-endian number of `size` bytes at `offset`; 0 if the bytes end before.
u64 read_number(Bytes bytes, u64 offset, unsigned size);
// The same, of variable length; `offset` is moved past it.
u64 read_uleb(Bytes bytes, u64& offset);

// Uncompressed. Empty if there is no such section, or if its bytes are not in this file.
Bytes section_bytes(Elf* elf, const char* name);

// A private mapping of a file, with `room` writable bytes before it.
class FileMapping {
public:
    FileMapping() = default;
    FileMapping(const std::string& path, std::size_t room);
    FileMapping(FileMapping&& other) noexcept;
    FileMapping& operator=(FileMapping&& other) noexcept;
    ~FileMapping();
    explicit operator bool() const { return begin_ != nullptr; }
    char* begin() const { return begin_; }
    std::size_t size() const { return size_; }  // with the room

private:
    char* begin_ = nullptr;
    std::size_t size_ = 0;
};

// Owns a mapping that starts with an ELF header; otherwise `elf` is null.
class ElfFile {
public:
    explicit ElfFile(FileMapping mapping);
    ElfFile(const ElfFile&) = delete;
    ElfFile& operator=(const ElfFile&) = delete;
    ~ElfFile();
    Elf* elf() const { return elf_; }

private:
    FileMapping mapping_;
    Elf* elf_ = nullptr;
};

// `dwarf` is null if the file has no debug information.
class DwarfFile {
public:
    explicit DwarfFile(FileMapping mapping);
    DwarfFile(const DwarfFile&) = delete;
    DwarfFile& operator=(const DwarfFile&) = delete;
    ~DwarfFile();
    Dwarf* dwarf() const { return dwarf_; }

private:
    ElfFile file_;
    Dwarf* dwarf_ = nullptr;
};

}  // namespace memspy::report::names
