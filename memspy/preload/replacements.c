// SPDX-License-Identifier: GPL-2.0-or-later
//
// The table of libc functions that memspy replaces in the client, with their replacements. redirect.h
// explains the lines; the bodies are in bytes.h, strings.h and wide.h.
#include "preload/account.h"
#include "preload/bytes.h"
#include "preload/redirect.h"
#include "preload/strings.h"
#include "preload/wide.h"

// ---- memory

// libc's memcpy and memmove are one piece of code under two names. So a call of memcpy that arrives here may
// have been a memmove, or the memcpy of before glibc 2.14, which allowed overlap. The memcpy that checks for
// overlap is the one below that programs are linked to.
REPLACE(2001, 1, void*, memmove, (void* to, const void* from, usize bytes), copy(to, from, bytes),
        IN_LIBC(__GI_memmove), IN_LIBC(__memmove_sse2_unaligned), IN_LIBC(__memmove_avx_unaligned_erms),
        IN_LOADER(memmove))
REPLACE(2001, 0, void*, memcpy, (void* to, const void* from, usize bytes), copy(to, from, bytes),
        IN_LIBC(__GI_memcpy), IN_LIBC(__memcpy_sse2), IN_LIBC(__memcpy_avx_unaligned_erms),
        IN_LIBC_ENCODED(memcpyZAGLIBCZu2Zd2Zd5), IN_LIBC_ENCODED(memcpyZAZAGLIBCZu2Zd14),
        IN_LIBC_ENCODED(memcpyZAZAGLIBCZu2Zd17), IN_LOADER(memcpy))
REPLACE(2011, 1, void*, __memmove_chk, (void* to, const void* from, usize bytes, usize room),
        copy_within(to, from, bytes, room))
REPLACE(2011, 0, void*, __memcpy_chk, (void* to, const void* from, usize bytes, usize room),
        copy_within(to, from, bytes, room))
REPLACE(2002, 0, void*, mempcpy, (void* to, const void* from, usize bytes),
        (Byte*)copy_apart("mempcpy", to, from, bytes) + bytes, IN_LIBC(__mempcpy), IN_LIBC(__GI_mempcpy),
        IN_LIBC(__GI___mempcpy), IN_LOADER(mempcpy))
REPLACE(2003, 0, void*, __mempcpy_chk, (void* to, const void* from, usize bytes, usize room),
        (Byte*)copy_apart_within("mempcpy", to, from, bytes, room) + bytes)
REPLACE(2004, 0, void, bcopy, (const void* from, void* to, usize bytes), (void)copy(to, from, bytes))
REPLACE(2005, 0, void*, memset, (void* to, int value, usize bytes), fill(to, value, bytes),
        IN_LIBC(__GI_memset), IN_LIBC(__memset_sse2_unaligned), IN_LIBC(__memset_avx2_unaligned_erms),
        IN_LOADER(memset))
REPLACE(2006, 0, void*, __memset_chk, (void* to, int value, usize bytes, usize room),
        fill_within(to, value, bytes, room))
REPLACE(2007, 1, int, memcmp, (const void* a, const void* b, usize bytes), compare(a, b, bytes),
        IN_LIBC(__GI_memcmp), IN_LIBC(__memcmp_sse2), IN_LIBC(__memcmp_sse4_1), IN_LIBC(__memcmp_avx2_movbe),
        IN_LOADER(memcmp))
REPLACE(2007, 0, int, bcmp, (const void* a, const void* b, usize bytes), compare(a, b, bytes),
        IN_LIBC(__memcmpeq), IN_LIBC(__GI___memcmpeq), IN_LIBC(__memcmpeq_sse2), IN_LOADER(bcmp))
REPLACE(2008, 0, void*, memchr, (const void* memory, int value, usize bytes), find_byte(memory, value, bytes),
        IN_LIBC(__memchr), IN_LIBC(__GI_memchr), IN_LIBC(__memchr_sse2), IN_LIBC(__memchr_avx2),
        IN_LOADER(memchr))
REPLACE(2009, 0, void*, memrchr, (const void* memory, int value, usize bytes),
        find_last_byte(memory, value, bytes), IN_LIBC(__memrchr), IN_LIBC(__memrchr_sse2))
REPLACE(2010, 0, void*, rawmemchr, (const void* memory, int value), find_byte_unbounded(memory, value),
        IN_LIBC(__rawmemchr), IN_LIBC(__GI___rawmemchr), IN_LIBC(__rawmemchr_sse2), IN_LOADER(rawmemchr))

// ---- strings

REPLACE(2020, 0, usize, strlen, (const char* text), length(text), IN_LIBC(__GI_strlen),
        IN_LIBC(__strlen_sse2), IN_LIBC(__strlen_sse2_no_bsf), IN_LIBC(__strlen_sse42),
        IN_LIBC(__strlen_avx2), IN_LOADER(strlen))
REPLACE(2021, 0, usize, strnlen, (const char* text, usize limit), length_within(text, limit),
        IN_LIBC(__strnlen), IN_LIBC(__GI_strnlen), IN_LIBC(__GI___strnlen), IN_LIBC(__strnlen_sse2),
        IN_LOADER(strnlen))
REPLACE(2022, 0, char*, strcpy, (char* to, const char* from), (copy_text("strcpy", to, from), to),
        IN_LIBC(__GI_strcpy), IN_LIBC(__strcpy_sse2), IN_LIBC(__strcpy_sse2_unaligned),
        IN_LIBC(__strcpy_avx2))
REPLACE(2023, 0, char*, stpcpy, (char* to, const char* from), copy_text("stpcpy", to, from),
        IN_LIBC(__stpcpy), IN_LIBC(__GI_stpcpy), IN_LIBC(__GI___stpcpy), IN_LIBC(__stpcpy_sse2),
        IN_LIBC(__stpcpy_sse2_unaligned), IN_LOADER(stpcpy))
REPLACE(2024, 0, char*, strncpy, (char* to, const char* from, usize limit),
        (copy_padded("strncpy", to, from, limit), to), IN_LIBC(__GI_strncpy), IN_LIBC(__strncpy_sse2),
        IN_LIBC(__strncpy_sse2_unaligned), IN_LIBC(__strncpy_avx2))
REPLACE(2025, 0, char*, stpncpy, (char* to, const char* from, usize limit),
        copy_padded("stpncpy", to, from, limit), IN_LIBC(__stpncpy), IN_LIBC(__GI___stpncpy),
        IN_LIBC(__stpncpy_sse2_unaligned))
REPLACE(2026, 0, char*, strcat, (char* to, const char* from), append("strcat", to, from),
        IN_LIBC(__GI_strcat), IN_LIBC(__strcat_sse2), IN_LIBC(__strcat_sse2_unaligned),
        IN_LIBC(__strcat_avx2))
REPLACE(2027, 0, char*, strncat, (char* to, const char* from, usize limit),
        append_limited("strncat", to, from, limit), IN_LIBC(__GI___strncat),
        IN_LIBC(__strncat_sse2_unaligned))
REPLACE(2028, 0, usize, strlcpy, (char* to, const char* from, usize room),
        copy_fitting("strlcpy", to, from, room), IN_LIBC(__strlcpy), IN_LIBC(__GI___strlcpy))
REPLACE(2029, 0, usize, strlcat, (char* to, const char* from, usize room),
        append_fitting("strlcat", to, from, room), IN_LIBC(__strlcat), IN_LIBC(__GI___strlcat))
REPLACE(2030, 1, char*, strchr, (const char* text, int value), find(text, value), IN_LIBC(__GI_strchr),
        IN_LIBC(__strchr_sse2), IN_LIBC(__strchr_sse2_no_bsf), IN_LIBC(__strchr_avx2), IN_LOADER(strchr))
REPLACE(2030, 0, char*, index, (const char* text, int value), find(text, value), IN_LOADER(index))
REPLACE(2031, 0, char*, strchrnul, (const char* text, int value), find_or_end(text, value),
        IN_LIBC(__strchrnul), IN_LIBC(__strchrnul_sse2), IN_LOADER(strchrnul))
REPLACE(2032, 1, char*, strrchr, (const char* text, int value), find_last(text, value), IN_LIBC(__GI_strrchr),
        IN_LIBC(__strrchr_sse2), IN_LIBC(__strrchr_sse2_no_bsf), IN_LIBC(__strrchr_sse42),
        IN_LIBC(__strrchr_avx2), IN_LOADER(strrchr))
REPLACE(2032, 0, char*, rindex, (const char* text, int value), find_last(text, value), IN_LOADER(rindex))
REPLACE(2033, 0, int, strcmp, (const char* a, const char* b), compare_text(a, b), IN_LIBC(__GI_strcmp),
        IN_LIBC(__strcmp_sse2), IN_LIBC(__strcmp_sse2_unaligned), IN_LIBC(__strcmp_sse42),
        IN_LIBC(__strcmp_avx2), IN_LOADER(strcmp))
REPLACE(2034, 0, int, strncmp, (const char* a, const char* b, usize limit), compare_text_within(a, b, limit),
        IN_LIBC(__GI_strncmp), IN_LIBC(__strncmp_sse2), IN_LIBC(__strncmp_sse42), IN_LIBC(__strncmp_avx2),
        IN_LOADER(strncmp))
REPLACE(2035, 0, int, strcasecmp, (const char* a, const char* b),
        compare_folded(a, b, SIZE_MAX, lower_table()), IN_LIBC(__strcasecmp), IN_LIBC(__GI___strcasecmp),
        IN_LIBC(__strcasecmp_sse2), IN_LIBC(__strcasecmp_avx2))
REPLACE(2036, 0, int, strncasecmp, (const char* a, const char* b, usize limit),
        compare_folded(a, b, limit, lower_table()), IN_LIBC(__strncasecmp), IN_LIBC(__strncasecmp_sse2),
        IN_LIBC(__strncasecmp_avx2))
REPLACE(2037, 0, int, strcasecmp_l, (const char* a, const char* b, locale_t locale),
        compare_folded(a, b, SIZE_MAX, lower_table_of(locale)), IN_LIBC(__strcasecmp_l),
        IN_LIBC(__GI___strcasecmp_l), IN_LIBC(__strcasecmp_l_sse2), IN_LIBC(__strcasecmp_l_avx2))
REPLACE(2038, 0, int, strncasecmp_l, (const char* a, const char* b, usize limit, locale_t locale),
        compare_folded(a, b, limit, lower_table_of(locale)), IN_LIBC(__strncasecmp_l),
        IN_LIBC(__GI___strncasecmp_l), IN_LIBC(__strncasecmp_l_sse2), IN_LIBC(__strncasecmp_l_avx2))
REPLACE(2039, 0, char*, strstr, (const char* text, const char* wanted), find_text(text, wanted),
        IN_LIBC(__GI_strstr), IN_LIBC(__libc_strstr), IN_LIBC(__strstr_generic), IN_LIBC(__strstr_sse2),
        IN_LIBC(__strstr_sse2_unaligned), IN_LIBC(__strstr_sse42))
REPLACE(2040, 0, char*, strcasestr, (const char* text, const char* wanted),
        find_text_folded(text, wanted, lower_table()), IN_LIBC(__strcasestr))
REPLACE(2041, 0, usize, strspn, (const char* text, const char* set), span(text, set), IN_LIBC(__GI_strspn),
        IN_LIBC(__strspn_sse42))
REPLACE(2042, 0, usize, strcspn, (const char* text, const char* set), span_without(text, set),
        IN_LIBC(__GI_strcspn), IN_LIBC(__strcspn_sse42), IN_LOADER(strcspn))
REPLACE(2043, 0, char*, strpbrk, (const char* text, const char* set), find_one_of(text, set),
        IN_LIBC(__GI_strpbrk), IN_LIBC(__strpbrk_sse42))

REPLACE(2050, 0, char*, __strcpy_chk, (char* to, const char* from, usize room),
        (copy_text_within("strcpy", to, from, room), to))
REPLACE(2051, 0, char*, __stpcpy_chk, (char* to, const char* from, usize room),
        copy_text_within("stpcpy", to, from, room))
REPLACE(2052, 0, char*, __strncpy_chk, (char* to, const char* from, usize limit, usize room),
        (copy_padded_within("strncpy", to, from, limit, room), to))
REPLACE(2053, 0, char*, __stpncpy_chk, (char* to, const char* from, usize limit, usize room),
        copy_padded_within("stpncpy", to, from, limit, room))
REPLACE(2054, 0, char*, __strcat_chk, (char* to, const char* from, usize room),
        append_within("strcat", to, from, room))
REPLACE(2055, 0, char*, __strncat_chk, (char* to, const char* from, usize limit, usize room),
        append_limited_within("strncat", to, from, limit, room))

// ---- wide strings

REPLACE(2060, 0, usize, wcslen, (const wchar_t* text), wide_length(text), IN_LIBC(__wcslen),
        IN_LIBC(__wcslen_sse2), IN_LIBC(__wcslen_sse4_1))
REPLACE(2061, 0, usize, wcsnlen, (const wchar_t* text, usize limit), wide_length_within(text, limit),
        IN_LIBC(__wcsnlen), IN_LIBC(__GI_wcsnlen), IN_LIBC(__wcsnlen_sse4_1))
REPLACE(2062, 0, wchar_t*, wcscpy, (wchar_t * to, const wchar_t* from),
        (wide_copy_text("wcscpy", to, from), to), IN_LIBC(__wcscpy), IN_LIBC(__GI___wcscpy),
        IN_LIBC(__wcscpy_ssse3))
REPLACE(2063, 0, wchar_t*, wcpcpy, (wchar_t * to, const wchar_t* from), wide_copy_text("wcpcpy", to, from),
        IN_LIBC(__wcpcpy))
REPLACE(2064, 0, wchar_t*, wcsncpy, (wchar_t * to, const wchar_t* from, usize limit),
        (wide_copy_padded("wcsncpy", to, from, limit), to), IN_LIBC(__wcsncpy))
REPLACE(2065, 0, wchar_t*, wcpncpy, (wchar_t * to, const wchar_t* from, usize limit),
        wide_copy_padded("wcpncpy", to, from, limit), IN_LIBC(__wcpncpy))
REPLACE(2066, 0, wchar_t*, wcscat, (wchar_t * to, const wchar_t* from), wide_append("wcscat", to, from),
        IN_LIBC(__wcscat))
REPLACE(2067, 0, wchar_t*, wcsncat, (wchar_t * to, const wchar_t* from, usize limit),
        wide_append_limited("wcsncat", to, from, limit))
REPLACE(2068, 0, wchar_t*, wcschr, (const wchar_t* text, wchar_t value), wide_find(text, value),
        IN_LIBC(__wcschr), IN_LIBC(__GI_wcschr), IN_LIBC(__GI___wcschr), IN_LIBC(__wcschr_sse2))
REPLACE(2069, 0, wchar_t*, wcschrnul, (const wchar_t* text, wchar_t value), wide_find_or_end(text, value),
        IN_LIBC(__wcschrnul))
REPLACE(2070, 0, wchar_t*, wcsrchr, (const wchar_t* text, wchar_t value), wide_find_last(text, value),
        IN_LIBC(__wcsrchr_sse2))
REPLACE(2071, 0, int, wcscmp, (const wchar_t* a, const wchar_t* b), wide_compare_text(a, b),
        IN_LIBC(__wcscmp), IN_LIBC(__GI___wcscmp), IN_LIBC(__wcscmp_sse2))
REPLACE(2072, 0, int, wcsncmp, (const wchar_t* a, const wchar_t* b, usize limit),
        wide_compare_text_within(a, b, limit), IN_LIBC(__wcsncmp_avx2))
REPLACE(2073, 0, wchar_t*, wmemcpy, (wchar_t * to, const wchar_t* from, usize count),
        wide_copy_apart("wmemcpy", to, from, count), IN_LIBC(__wmemcpy))
REPLACE(2074, 0, wchar_t*, wmemmove, (wchar_t * to, const wchar_t* from, usize count),
        wide_copy(to, from, count), IN_LIBC(__wmemmove))
REPLACE(2075, 0, wchar_t*, wmempcpy, (wchar_t * to, const wchar_t* from, usize count),
        wide_copy_apart("wmempcpy", to, from, count) + count, IN_LIBC(__wmempcpy))
REPLACE(2076, 0, wchar_t*, wmemset, (wchar_t * to, wchar_t value, usize count), wide_fill(to, value, count),
        IN_LIBC(__wmemset), IN_LIBC(__GI_wmemset), IN_LIBC(__GI___wmemset), IN_LIBC(__wmemset_sse2_unaligned))
REPLACE(2077, 0, wchar_t*, wmemchr, (const wchar_t* memory, wchar_t value, usize count),
        wide_find_in(memory, value, count), IN_LIBC(__wmemchr), IN_LIBC(__GI_wmemchr),
        IN_LIBC(__GI___wmemchr), IN_LIBC(__wmemchr_sse2))
REPLACE(2078, 0, int, wmemcmp, (const wchar_t* a, const wchar_t* b, usize count), wide_compare(a, b, count),
        IN_LIBC(__wmemcmp), IN_LIBC(__wmemcmp_sse2), IN_LIBC(__wmemcmp_sse4_1))

REPLACE(2080, 0, wchar_t*, __wmemcpy_chk, (wchar_t * to, const wchar_t* from, usize count, usize room),
        wide_copy_apart_within("wmemcpy", to, from, count, room))
REPLACE(2081, 0, wchar_t*, __wmemmove_chk, (wchar_t * to, const wchar_t* from, usize count, usize room),
        wide_copy_within(to, from, count, room))
REPLACE(2082, 0, wchar_t*, __wmempcpy_chk, (wchar_t * to, const wchar_t* from, usize count, usize room),
        wide_copy_apart_within("wmempcpy", to, from, count, room) + count)
REPLACE(2083, 0, wchar_t*, __wmemset_chk, (wchar_t * to, wchar_t value, usize count, usize room),
        wide_fill_within(to, value, count, room))
REPLACE(2084, 0, wchar_t*, __wcscpy_chk, (wchar_t * to, const wchar_t* from, usize room),
        (wide_copy_text_within("wcscpy", to, from, room), to))
REPLACE(2085, 0, wchar_t*, __wcpcpy_chk, (wchar_t * to, const wchar_t* from, usize room),
        wide_copy_text_within("wcpcpy", to, from, room))
REPLACE(2086, 0, wchar_t*, __wcsncpy_chk, (wchar_t * to, const wchar_t* from, usize limit, usize room),
        (wide_copy_padded_within("wcsncpy", to, from, limit, room), to))
REPLACE(2087, 0, wchar_t*, __wcpncpy_chk, (wchar_t * to, const wchar_t* from, usize limit, usize room),
        wide_copy_padded_within("wcpncpy", to, from, limit, room))
REPLACE(2088, 0, wchar_t*, __wcscat_chk, (wchar_t * to, const wchar_t* from, usize room),
        wide_append_within("wcscat", to, from, room))
REPLACE(2089, 0, wchar_t*, __wcsncat_chk, (wchar_t * to, const wchar_t* from, usize limit, usize room),
        wide_append_limited_within("wcsncat", to, from, limit, room))

// ---- the heap's own account
//
// The core's replacement describes the arena that the chunks for blocks come from. This one takes precedence
// by the same class and a higher rank. mallinfo2 (glibc 2.33) has the same members in a wider type.
REPLACE(1021, 1, struct mallinfo, mallinfo, (void), heap_account())
REPLACE(1022, 0, struct WideAccount, mallinfo2, (void), wide_heap_account())

// ---- memcpy as programs are linked to it
//
// These two are not redirections: they have libc's names and are found before libc's, because this library is
// preloaded. Only so can a memcpy be distinguished from a memmove (see above). exports-amd64.map gives them
// the versions of libc's, so that programs that ask for the older memcpy do not get this one.
#ifdef MEMSPY_NATIVE_PREFIX
#define PUBLIC(name) MEMSPY_PASTE(MEMSPY_NATIVE_PREFIX, MEMSPY_PASTE(public_, name))
#else
#define PUBLIC(name) name
#endif
void* PUBLIC(memcpy)(void* to, const void* from, usize bytes);
void* PUBLIC(memcpy)(void* to, const void* from, usize bytes) {
    return copy_apart("memcpy", to, from, bytes);
}
void* PUBLIC(__memcpy_chk)(void* to, const void* from, usize bytes, usize room);
void* PUBLIC(__memcpy_chk)(void* to, const void* from, usize bytes, usize room) {
    return copy_apart_within("memcpy", to, from, bytes, room);
}
