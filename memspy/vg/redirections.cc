// SPDX-License-Identifier: GPL-2.0-or-later
//
// The core asks its demangler of each symbol whether it is a redirection: "_vgr" (replaces) or "_vgw" (wraps),
// then its class of four digits and its rank of one. The linker sends those questions here (--wrap, flags.mk).
// Classes 1001 to 1099 are the malloc family's, in the core and in our library.
#include "vg/redirections.h"

#include "vg/vg.h"

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
