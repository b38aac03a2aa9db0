// SPDX-License-Identifier: GPL-2.0-or-later
//
// Modules: the ELF objects that the client has, or had, mapped, with data that identifies them permanently:
// path, build-id and the distance between link-time and run-time addresses. A module stays described after
// dlclose. Data that Valgrind's core does not keep (build-id, sections, extent) is read once per module: from
// the mapped image if it is there, otherwise from the file; sections always from the file. A file with
// another build-id is not used.
#pragma once

#include "rt/vector.h"

namespace memspy::vg {

// The dynamic linker that was mapped with the program; call after the core has loaded it. Empty in a static
// program.
struct CodeRange {
    Address begin = 0, end = 0;
    bool empty() const { return begin == end; }
    bool has(Address a) const { return a >= begin && a < end; }
};
CodeRange dynamic_linker();

// 1 … module_count(); numbers are never reused.
enum class ModuleId : u32 { None = 0 };

// An allocated section, except thread-local ones.
struct ModuleSection {
    Address begin = 0;
    usize size = 0;
    const char* name = nullptr;
};

// The file offsets of its symbols and their names. All 0 if there are none.
struct SymbolTable {
    u64 offset = 0, bytes = 0;
    u64 strings = 0, string_bytes = 0;
    bool whole = false;  // it has not been stripped to what other files use
};

struct Module {
    const char* path = nullptr;
    const char* build_id = nullptr;  // hexadecimal, or null
    u64 bias = 0;                    // run-time address - link-time address
    Address text = 0;                // .text
    usize text_size = 0;
    Address begin = 0, end = 0;  // of the mapped image, .bss included
    usize tls_bytes = 0;         // of one thread's block, a multiple of tls_align
    usize tls_align = 1;
    SymbolTable symbols;
    bool has_lines = false;                         // it was compiled with -g, at least in part
    rt::Vector<ModuleSection>* sections = nullptr;  // null if the file could not be read
};

// The module at `a` now; for code also a module that was there, if there was only one. None if there is no
// such module. Slow.
ModuleId module_of_code(Address a);
ModuleId module_of_data(Address a);
const Module& module(ModuleId id);
u32 module_count();

// The section that `a` is in, or null.
const ModuleSection* section_of(const Module& module, Address a);

// Reads all modules that are mapped now. A module that is unloaded before that stays unknown, so call this
// before an unmapping.
void know_modules();

// Where the program's own headers are in memory; 0 if that is not known.
Address program_headers();
// The program itself, which is loaded before its libraries; None if it is not known.
ModuleId main_module();

// The core's ELF data symbol around `a` (see data_symbols.h for more), mangled. `name` is valid until its
// module is unloaded.
bool data_symbol(Address a, const char** name, Address* start);
// A C++ name demangled, others unchanged. Valid until the next call of any function on symbols.
const char* demangled(const char* name);

// A permanent copy, one for each text.
const char* intern(const char* text);

}  // namespace memspy::vg
