// SPDX-License-Identifier: GPL-2.0-or-later
//
// Strings of char: the bodies of the str* functions. bytes.h has the rules for all of them.
//
// Copying determines the length first and then copies wide. That takes fewer accesses than byte by byte, and
// the operands can be checked for overlap before anything is overwritten.
#pragma once

#include <locale.h>

#include "preload/bytes.h"

INLINE usize length(const char* text) {
    const char* at = text;
    while (*at != 0) at++;
    return (usize)(at - text);
}

INLINE usize length_within(const char* text, usize limit) {
    usize i = 0;
    while (i < limit && text[i] != 0) i++;
    return i;
}

// The number of bytes read from a source of which `taken` characters, at most `limit`, are copied: including
// the NUL if it was read.
INLINE usize bytes_read(usize taken, usize limit) { return taken < limit ? taken + 1 : limit; }

// Copies with the NUL. Returns the NUL's address in the copy.
INLINE char* copy_text(const char* function, char* to, const char* from) {
    usize size = length(from) + 1;
    CHECK_OVERLAP(function, to, size, from, size, kNoLength);
    copy(to, from, size);
    return to + size - 1;
}

// strncpy: fills up with NULs to `limit`. Returns the end of the text in the copy.
INLINE char* copy_padded(const char* function, char* to, const char* from, usize limit) {
    usize taken = length_within(from, limit);
    say_range(to, from, limit);
    CHECK_OVERLAP(function, to, limit, from, bytes_read(taken, limit), limit);
    copy_part(to, from, taken);
    fill_part(to + taken, 0, limit - taken);
    say_range_done();
    return to + taken;
}

// Writes also a NUL behind the `taken` characters.
INLINE void copy_taken(char* to, const char* from, usize taken) {
    say_range(to, from, taken + 1);
    copy_part(to, from, taken);
    to[taken] = 0;
    say_range_done();
}

INLINE char* append(const char* function, char* to, const char* from) {
    usize had = length(to), size = length(from) + 1;
    CHECK_OVERLAP(function, to, had + size, from, size, kNoLength);
    copy(to + had, from, size);
    return to;
}

INLINE char* append_limited(const char* function, char* to, const char* from, usize limit) {
    usize had = length(to), taken = length_within(from, limit);
    CHECK_OVERLAP(function, to, had + taken + 1, from, bytes_read(taken, limit), limit);
    copy_taken(to + had, from, taken);
    return to;
}

// strlcpy, strlcat: `room` is the size of the destination; longer text is cut.
INLINE usize copy_fitting(const char* function, char* to, const char* from, usize room) {
    usize whole = length(from);
    if (room > 0) {
        usize taken = whole < room ? whole : room - 1;
        CHECK_OVERLAP(function, to, taken + 1, from, whole + 1, room);
        copy_taken(to, from, taken);
    }
    return whole;
}

INLINE usize append_fitting(const char* function, char* to, const char* from, usize room) {
    usize had = length_within(to, room), whole = length(from);
    if (had < room) {
        usize taken = whole < room - had ? whole : room - had - 1;
        CHECK_OVERLAP(function, to, had + taken + 1, from, whole + 1, room);
        copy_taken(to + had, from, taken);
    }
    return had + whole;
}

// The first `value` in the text, or else the NUL.
INLINE char* find_or_end(const char* text, int value) {
    while (*text != (char)value && *text != 0) text++;
    return (char*)text;
}

INLINE char* find(const char* text, int value) {
    char* at = find_or_end(text, value);
    return *at == (char)value ? at : NULL;
}

INLINE char* find_last(const char* text, int value) {
    const char* last = NULL;
    for (;; text++) {
        if (*text == (char)value) last = text;
        if (*text == 0) return (char*)last;
    }
}

INLINE int compare_text(const char* left, const char* right) {
    const Byte* a = (const Byte*)left;
    const Byte* b = (const Byte*)right;
    while (*a == *b && *a != 0) a++, b++;
    return *a - *b;
}

INLINE int compare_text_within(const char* left, const char* right, usize limit) {
    const Byte* a = (const Byte*)left;
    const Byte* b = (const Byte*)right;
    for (; limit > 0; a++, b++, limit--) {
        if (*a != *b) return *a - *b;
        if (*a == 0) break;
    }
    return 0;
}

// The table of lower-case letters of the current locale, indexed -128..255. Only libc has it; the function
// just returns an address. Without the function (another libc) only ASCII letters count.
extern const int** __ctype_tolower_loc(void) __attribute__((weak, const));

INLINE const int* lower_table(void) { return __ctype_tolower_loc ? *__ctype_tolower_loc() : NULL; }

INLINE const int* lower_table_of(locale_t locale) {
#ifdef __GLIBC__
    return locale->__ctype_tolower;
#else
    (void)locale;
    return lower_table();
#endif
}

INLINE int lower(const int* table, Byte c) {
    if (table != NULL) return table[c];
    return c >= 'A' && c <= 'Z' ? c + ('a' - 'A') : c;
}

INLINE int compare_folded(const char* left, const char* right, usize limit, const int* table) {
    const Byte* a = (const Byte*)left;
    const Byte* b = (const Byte*)right;
    for (; limit > 0; a++, b++, limit--) {
        int difference = lower(table, *a) - lower(table, *b);
        if (difference != 0) return difference;
        if (*a == 0) break;
    }
    return 0;
}

INLINE char* find_text(const char* text, const char* wanted) {
    if (*wanted == 0) return (char*)text;
    for (; *text != 0; text++) {
        usize i = 0;
        while (wanted[i] != 0 && text[i] == wanted[i]) i++;
        if (wanted[i] == 0) return (char*)text;
    }
    return NULL;
}

INLINE char* find_text_folded(const char* text, const char* wanted, const int* table) {
    if (*wanted == 0) return (char*)text;
    for (; *text != 0; text++) {
        usize i = 0;
        while (wanted[i] != 0 && lower(table, (Byte)text[i]) == lower(table, (Byte)wanted[i])) i++;
        if (wanted[i] == 0) return (char*)text;
    }
    return NULL;
}

INLINE int is_one_of(char c, const char* set) {
    for (; *set != 0; set++)
        if (*set == c) return 1;
    return 0;
}

INLINE usize span(const char* text, const char* set) {
    const char* at = text;
    while (*at != 0 && is_one_of(*at, set)) at++;
    return (usize)(at - text);
}

INLINE usize span_without(const char* text, const char* set) {
    const char* at = text;
    while (*at != 0 && !is_one_of(*at, set)) at++;
    return (usize)(at - text);
}

INLINE char* find_one_of(const char* text, const char* set) {
    const char* at = text + span_without(text, set);
    return *at != 0 ? (char*)at : NULL;
}

INLINE char* copy_text_within(const char* function, char* to, const char* from, usize room) {
    usize size = length(from) + 1;
    CHECK_ROOM(room, size);
    CHECK_OVERLAP(function, to, size, from, size, kNoLength);
    copy(to, from, size);
    return to + size - 1;
}

INLINE char* copy_padded_within(const char* function, char* to, const char* from, usize limit, usize room) {
    CHECK_ROOM(room, limit);
    return copy_padded(function, to, from, limit);
}

INLINE char* append_within(const char* function, char* to, const char* from, usize room) {
    CHECK_ROOM(room, length_within(to, room) + length(from) + 1);
    return append(function, to, from);
}

INLINE char* append_limited_within(const char* function, char* to, const char* from, usize limit,
                                   usize room) {
    CHECK_ROOM(room, length_within(to, room) + length_within(from, limit) + 1);
    return append_limited(function, to, from, limit);
}
