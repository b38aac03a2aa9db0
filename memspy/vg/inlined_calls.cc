// SPDX-License-Identifier: GPL-2.0-or-later
//
// The core has one switch for all modules. The linker sends its calls of the reader here (--wrap, flags.mk): for modules
// whose inlined calls are not wanted, there is nothing to do. What the reader gets besides the module differs between
// versions, and is passed on as it is.
#include "vg/inlined_calls.h"

#include "rt/prefix.h"
#include "vg/vg.h"

extern Bool VG_(clo_read_inline_info);

namespace memspy::vg {
namespace {

bool system_too = false;

constexpr const HChar* kSystemFolders[] = {"/lib", "/usr/lib"};

}  // namespace

void read_inlined_calls() { VG_(clo_read_inline_info) = True; }
void read_inlined_calls_of_system() { system_too = true; }

extern "C" [[gnu::used]] bool memspy_reads_inlined_calls(const DebugInfo* module) {
    return system_too || !rt::starts_with_one_of(VG_(DebugInfo_get_filename)(module), kSystemFolders);
}

}  // namespace memspy::vg

// The module is the first argument.
#if defined(__x86_64__)
asm(R"(
    .text
    .globl __wrap_vgModuleLocal_new_dwarf3_reader
    .type __wrap_vgModuleLocal_new_dwarf3_reader, @function
__wrap_vgModuleLocal_new_dwarf3_reader:
    push %rdi
    call memspy_reads_inlined_calls
    pop %rdi
    test %al, %al
    jne __real_vgModuleLocal_new_dwarf3_reader
    ret
    .size __wrap_vgModuleLocal_new_dwarf3_reader, . - __wrap_vgModuleLocal_new_dwarf3_reader
)");
#else
asm(R"(
    .text
    .globl __wrap_vgModuleLocal_new_dwarf3_reader
    .type __wrap_vgModuleLocal_new_dwarf3_reader, %function
__wrap_vgModuleLocal_new_dwarf3_reader:
    stp x29, x30, [sp, #-80]!
    stp x0, x1, [sp, #16]
    stp x2, x3, [sp, #32]
    stp x4, x5, [sp, #48]
    stp x6, x7, [sp, #64]
    bl memspy_reads_inlined_calls
    and w9, w0, #255
    ldp x0, x1, [sp, #16]
    ldp x2, x3, [sp, #32]
    ldp x4, x5, [sp, #48]
    ldp x6, x7, [sp, #64]
    ldp x29, x30, [sp], #80
    cbz w9, 1f
    b __real_vgModuleLocal_new_dwarf3_reader
1:  ret
    .size __wrap_vgModuleLocal_new_dwarf3_reader, . - __wrap_vgModuleLocal_new_dwarf3_reader
)");
#endif
