// SPDX-License-Identifier: GPL-2.0-or-later
//
// The core asks its demangler of each symbol whether it is a redirection: "_vgr" (replaces) or "_vgw" (wraps),
// then its class of four digits and its rank of one. The linker sends those questions here (--wrap, flags.mk).
// Classes 1001 to 1099 are the malloc family's, in the core and in our library; 2001 to 2099 are those on memory and strings.
#include "vg/redirections.h"

#include "rt/prefix.h"
#include "vg/vg.h"

// Declared by the core for itself only.
extern "C" Bool VG_(get_fnname_raw)(DiEpoch epoch, Addr code, const HChar** name);

namespace memspy::vg {
namespace {

bool wraps = false;

bool is_left_out(const HChar* symbol) {
    if (VG_(strncmp)(symbol, "_vg", 3) != 0) return false;
    const bool is_wrapper = symbol[3] == 'w';
    return VG_(strncmp)(symbol + 4, "10", 2) == 0 && is_wrapper != wraps;
}

}  // namespace

void wrap_allocator() { wraps = true; }

bool is_string_function_of_ours(Address code) {
    const DiEpoch epoch = VG_(current_DiEpoch)();
    const HChar* name = nullptr;
    if (!VG_(get_objname)(epoch, code, &name) || VG_(strstr)(name, "/vgpreload_memspy") == nullptr)
        return false;
    // These two are no redirections (preload/replacements.c).
    constexpr const HChar* kNames[] = {"_vgr20", "memcpy", "__memcpy_chk"};
    return VG_(get_fnname_raw)(epoch, code, &name) && rt::starts_with_one_of(name, kNames);
}

}  // namespace memspy::vg

extern "C" {
using DemangleZ = Bool(const HChar*, HChar**, HChar**, Bool*, Int*, Int*);
DemangleZ __real_vgPlain_maybe_Z_demangle, __wrap_vgPlain_maybe_Z_demangle;

Bool __wrap_vgPlain_maybe_Z_demangle(const HChar* symbol, HChar** module, HChar** function, Bool* is_wrap,
                                     Int* equivalence_class, Int* rank) {
    if (memspy::vg::is_left_out(symbol)) return False;
    return __real_vgPlain_maybe_Z_demangle(symbol, module, function, is_wrap, equivalence_class, rank);
}
}
