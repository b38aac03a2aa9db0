// SPDX-License-Identifier: GPL-2.0-or-later
//
// How a function of this library names the functions of the client that it replaces.
//
//     REPLACE(2007, 0, size_t, strlen, (const char* text), length(text),
//             IN_LIBC(__strlen_sse2), IN_LOADER(strlen))
//
// defines one function that replaces libc's strlen, and further names for the same code. Valgrind finds the
// names (their form is that of pub_tool_redir.h) and redirects calls of the named functions to here. In
// stacks it shows the shortest of several names at an address, which is libc's public one.
//
// libc's public functions select one of their variants when the program is loaded (IFUNC). Valgrind follows
// that by itself, so variants need a name here only if libc calls them directly.
//
// Two names of libc may have the same address. If their replacements have the same class (first number),
// Valgrind takes the one with the higher rank (second number, 0..9), or else the first that it finds. So
// functions that do the same share a class, and a function that may replace the other has the higher rank.
#pragma once

#ifndef MEMSPY_NATIVE_PREFIX
#include "pub_tool_basics.h"

#include "pub_tool_redir.h"
#endif

#define IN_LIBC(name) (VG_REPLACE_FUNCTION_EZU, VG_Z_LIBC_SONAME, name)
// For names with characters that C identifiers cannot have; encoded as in pub_tool_redir.h.
#define IN_LIBC_ENCODED(name) (VG_REPLACE_FUNCTION_EZZ, VG_Z_LIBC_SONAME, name)
#if defined(VGA_arm64)
#define IN_LOADER(name) (VG_REPLACE_FUNCTION_EZU, VG_Z_LD_LINUX_AARCH64_SO_1, name)
#else
#define IN_LOADER(name) (VG_REPLACE_FUNCTION_EZU, VG_Z_LD_LINUX_X86_64_SO_2, name)
#endif

#define MEMSPY_PASTE(a, b) MEMSPY_PASTE_(a, b)
#define MEMSPY_PASTE_(a, b) a##b
#define MEMSPY_QUOTE(a) MEMSPY_QUOTE_(a)
#define MEMSPY_QUOTE_(a) #a

#ifdef MEMSPY_NATIVE_PREFIX
// For the native test: plain functions with a prefix, and no other names.
#define MEMSPY_SYMBOL(tag, name) MEMSPY_PASTE(MEMSPY_NATIVE_PREFIX, name)
#define MEMSPY_ALSO(tag, name, item)
#else
#define MEMSPY_SYMBOL(tag, name) VG_REPLACE_FUNCTION_EZU(tag, VG_Z_LIBC_SONAME, name)
#define MEMSPY_ALSO(tag, name, item) MEMSPY_ALIAS(MEMSPY_SYMBOL(tag, name), MEMSPY_ITEM_NAME(tag, item))
#define MEMSPY_ALIAS(original, also)                                                                         \
    extern __typeof__(original) also __attribute__((alias(MEMSPY_QUOTE(original))));
#define MEMSPY_ITEM_NAME(tag, item) MEMSPY_ITEM_NAME_(tag, MEMSPY_UNWRAP item)
#define MEMSPY_ITEM_NAME_(tag, ...) MEMSPY_ITEM_NAME__(tag, __VA_ARGS__)
#define MEMSPY_ITEM_NAME__(tag, encoding, soname, name) encoding(tag, soname, name)
#define MEMSPY_UNWRAP(...) __VA_ARGS__
#endif

#define REPLACE(class, rank, result, name, parameters, call, ...)                                            \
    result MEMSPY_SYMBOL(MEMSPY_PASTE(class, rank), name) parameters;                                        \
    result MEMSPY_SYMBOL(MEMSPY_PASTE(class, rank), name) parameters { return call; }                        \
    MEMSPY_EACH(MEMSPY_PASTE(class, rank), name, ##__VA_ARGS__)

// MEMSPY_ALSO(tag, name, item) for each of up to eight items.
#define MEMSPY_EACH(...)                                                                                     \
    MEMSPY_COUNTED(__VA_ARGS__, MEMSPY_8, MEMSPY_7, MEMSPY_6, MEMSPY_5, MEMSPY_4, MEMSPY_3, MEMSPY_2,        \
                   MEMSPY_1, MEMSPY_0, )                                                                     \
    (__VA_ARGS__)
#define MEMSPY_COUNTED(tag, name, a, b, c, d, e, f, g, h, chosen, ...) chosen
#define MEMSPY_0(tag, name)
#define MEMSPY_1(tag, name, item) MEMSPY_ALSO(tag, name, item)
#define MEMSPY_2(tag, name, item, ...) MEMSPY_ALSO(tag, name, item) MEMSPY_1(tag, name, __VA_ARGS__)
#define MEMSPY_3(tag, name, item, ...) MEMSPY_ALSO(tag, name, item) MEMSPY_2(tag, name, __VA_ARGS__)
#define MEMSPY_4(tag, name, item, ...) MEMSPY_ALSO(tag, name, item) MEMSPY_3(tag, name, __VA_ARGS__)
#define MEMSPY_5(tag, name, item, ...) MEMSPY_ALSO(tag, name, item) MEMSPY_4(tag, name, __VA_ARGS__)
#define MEMSPY_6(tag, name, item, ...) MEMSPY_ALSO(tag, name, item) MEMSPY_5(tag, name, __VA_ARGS__)
#define MEMSPY_7(tag, name, item, ...) MEMSPY_ALSO(tag, name, item) MEMSPY_6(tag, name, __VA_ARGS__)
#define MEMSPY_8(tag, name, item, ...) MEMSPY_ALSO(tag, name, item) MEMSPY_7(tag, name, __VA_ARGS__)
