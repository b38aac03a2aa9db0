// SPDX-License-Identifier: GPL-2.0-or-later
//
// The core sends users with a fault of memspy's to Valgrind's developers, at the end of its help and when it
// crashes. The linker sends its calls of VG_(printf) here (--wrap, flags.mk): these two texts end in words of
// our own.
#include "vg/vg.h"

extern "C" {
UInt __wrap_vgPlain_printf(const HChar* format, ...);
}

namespace {

struct Ending {
    const HChar* begin;  // of what is replaced, to the end of the text
    const HChar* ours;
};
constexpr Ending kEndings[] = {
    {"  Bug reports, feedback",
     "  Please report faults of memspy where you got it from, with the output of: memspy-report bug\n\n"},
    {"If that doesn't help, please report",
     "If that doesn't help, please report this where you got memspy from, not to Valgrind's developers:\n"
     "send all the above text and the output of: memspy-report bug\n\n"},
};

}  // namespace

UInt __wrap_vgPlain_printf(const HChar* format, ...) {
    va_list arguments;
    va_start(arguments, format);
    UInt printed = 0;
    HChar begin[2048];
    for (const Ending& ending : kEndings) {
        const HChar* at = VG_(strstr)(format, ending.begin);
        if (at == nullptr || static_cast<SizeT>(at - format) >= sizeof begin) continue;
        VG_(strncpy)(begin, format, static_cast<SizeT>(at - format));
        begin[at - format] = '\0';
        printed = VG_(vprintf)(begin, arguments) + VG_(printf)("%s", ending.ours);
        va_end(arguments);
        return printed;
    }
    printed = VG_(vprintf)(format, arguments);
    va_end(arguments);
    return printed;
}
