// SPDX-License-Identifier: GPL-2.0-or-later
//
// The core compares each redirection of the preload library with each function that one may be for
// (redirections.cc): two hundred thousand pairs when the C library is loaded. Nearly all differ in the first
// letters, but the core first measures both strings and then matches the pattern by recursion. The linker
// redirects these calls to the function here (--wrap, flags.mk).
#include "vg/vg.h"

extern "C" {
Bool __real_vgPlain_string_match(const HChar* pattern, const HChar* text);
Bool __wrap_vgPlain_string_match(const HChar* pattern, const HChar* text);

Bool __wrap_vgPlain_string_match(const HChar* pattern, const HChar* text) {
    for (; *pattern != '*' && *pattern != '?'; pattern++, text++) {
        if (*pattern != *text) return False;
        if (*pattern == '\0') return True;
    }
    return __real_vgPlain_string_match(pattern, text);
}
}
