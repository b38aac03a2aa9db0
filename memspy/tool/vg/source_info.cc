// SPDX-License-Identifier: GPL-2.0-or-later
//
// The core has one switch for the inlined calls of all modules, and none for lines. The linker sends its
// calls of both readers here (--wrap, flags.mk): for modules that they are not wanted of, there is nothing to
// do. What the one of inlined calls gets besides the module differs between versions, and is passed on as it
// is.
#include "vg/source_info.h"

#include "rt/prefix.h"
#include "vg/late_lines.h"
#include "vg/vg.h"

extern Bool VG_(clo_read_inline_info);

namespace memspy::vg {
namespace {

bool system_inlined = false, system_lines = false;
const _DebugInfo* unknown = nullptr;  // the last module with units that the core does not know

constexpr const HChar* kSystemFolders[] = {"/lib", "/usr/lib"};
bool is_of_system(const _DebugInfo* module) {
    return rt::starts_with_one_of(VG_(DebugInfo_get_filename)(module), kSystemFolders);
}

}  // namespace

void read_inlined_calls() { VG_(clo_read_inline_info) = True; }
void read_inlined_calls_of_system() { system_inlined = system_lines = true; }
void read_lines_of_system() { system_lines = true; }

extern "C" {
// Whether the reader runs now. `parts`: what it gets besides the module, on the stack.
[[gnu::used]] bool memspy_reads_inlined_calls(_DebugInfo* module, const FileParts* parts) {
    const bool of_system = is_of_system(module);
    if (of_system && !system_inlined) return false;
    if (module == unknown) {
        read_inlined_calls_ourselves(module);
        return false;
    }
    return !are_inlined_calls_read_later(module, of_system, *parts);
}

// The core calls it before the other reader.
void __wrap_vgModuleLocal_read_debuginfo_dwarf3(_DebugInfo*, FilePart, FilePart, FilePart, FilePart, FilePart,
                                                FilePart, FilePart);
void __wrap_vgModuleLocal_read_debuginfo_dwarf3(_DebugInfo* module, FilePart info, FilePart types,
                                                FilePart abbrev, FilePart line, FilePart str,
                                                FilePart other_str, FilePart line_str) {
    const LineParts parts{info, types, abbrev, line, str, other_str, line_str};
    const bool of_system = is_of_system(module);
    unknown = nullptr;
    if (of_system && !system_lines) return;
    if (are_lines_read_later(module, of_system, parts)) return;
    if (!read_lines(module, parts)) unknown = module;
}
}

}  // namespace memspy::vg

// The module is the first argument.
#if defined(__x86_64__)
asm(R"(
    .macro READ_IF wanted, reader
    .globl __wrap_\reader
    .type __wrap_\reader, @function
__wrap_\reader:
    push %rdi
    lea 16(%rsp), %rsi
    call \wanted
    pop %rdi
    test %al, %al
    jne __real_\reader
    ret
    .size __wrap_\reader, . - __wrap_\reader
    .endm
)");
#else
asm(R"(
    .macro READ_IF wanted, reader
    .globl __wrap_\reader
    .type __wrap_\reader, %function
__wrap_\reader:
    stp x29, x30, [sp, #-80]!
    stp x0, x1, [sp, #16]
    stp x2, x3, [sp, #32]
    stp x4, x5, [sp, #48]
    stp x6, x7, [sp, #64]
    bl \wanted
    and w9, w0, #255
    ldp x0, x1, [sp, #16]
    ldp x2, x3, [sp, #32]
    ldp x4, x5, [sp, #48]
    ldp x6, x7, [sp, #64]
    ldp x29, x30, [sp], #80
    cbz w9, 1f
    b __real_\reader
1:  ret
    .size __wrap_\reader, . - __wrap_\reader
    .endm
)");
#endif

asm(R"(
    .text
    READ_IF memspy_reads_inlined_calls, vgModuleLocal_new_dwarf3_reader
)");
