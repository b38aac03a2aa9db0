// SPDX-License-Identifier: GPL-2.0-or-later
//
// Modules: the ELF objects that the client has, or had, mapped, and what names them for good: path, build-id
// and the distance between link-time and run-time addresses. A module stays described after dlclose. What
// Valgrind's core does not keep (build-id, sections, extent) is read once per module: from the mapped image
// where it is there, else, and sections always, from the file, which is not believed when its build-id is
// another one.
#pragma once

#include "rt/vector.h"

namespace memspy::vg {

// The dynamic linker that was mapped with the program; once the core has loaded it. Empty in a static program, the
// functions of whose libraries cannot be replaced.
struct CodeRange {
    Address begin = 0, end = 0;
    bool empty() const { return begin == end; }
    bool has(Address a) const { return a >= begin && a < end; }
};
CodeRange dynamic_linker();

// 1 … module_count(); numbers are never used again.
enum class ModuleId : u32 { None = 0 };

// An allocated section, thread-local ones left out.
struct ModuleSection {
    Address begin = 0;
    usize size = 0;
    const char* name = nullptr;
};

// Where in the file its symbols are, and their names. All 0 when there are none.
struct SymbolTable {
    u64 offset = 0, bytes = 0;
    u64 strings = 0, string_bytes = 0;
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
    rt::Vector<ModuleSection>* sections = nullptr;  // null when the file could not be read
};

// Of the module that is there now; for code also of one that was there, if only one was. None when there is
// no such module. Slow.
ModuleId module_of_code(Address a);
ModuleId module_of_data(Address a);
const Module& module(ModuleId id);
u32 module_count();

// The section that `a` is in, or null.
const ModuleSection* section_of(const Module& module, Address a);

// Makes all modules that are mapped now known. A module that is unloaded before anybody asked about it is
// unknown afterwards, so it is worth calling this before an unmapping.
void know_modules();

// The program itself, which is loaded before its libraries; None when it is not known.
ModuleId main_module();

// The ELF data symbol around `a` as the core knows it (see data_symbols.h for more), in its mangled form.
// `name` is valid until its module is unloaded.
bool data_symbol(Address a, const char** name, Address* start);
// A C++ name in readable form, others as they are. Valid until the next call of any function on symbols.
const char* demangled(const char* name);

// A copy that stays, one for each text.
const char* intern(const char* text);

}  // namespace memspy::vg
