// SPDX-License-Identifier: GPL-2.0-or-later
//
// The sections of an ELF file with its debug information, and its code. Compressed sections count as missing.
#pragma once

#include "dwarf/cursor.h"

namespace memspy::dwarf {

enum class Processor : u8 { Amd64, Arm64 };

struct Sections {
    FileBytes info, abbrev, str, line_str, str_offsets, addr, ranges, rnglists, loc, loclists, aranges, line;
    FileBytes file;
    Processor processor = Processor::Amd64;  // whose code it is

    explicit Sections(FileBytes file);
    // The bytes of code at a link-time address.
    FileBytes code_at(u64 address) const;
};

}  // namespace memspy::dwarf
