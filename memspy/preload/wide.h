// SPDX-License-Identifier: GPL-2.0-or-later
//
// Strings of wchar_t: the bodies of the wcs* and wmem* functions, in parallel to bytes.h and strings.h.
// Counts are in wide characters, overlaps are reported in bytes.
#pragma once

#include "preload/bytes.h"

INLINE usize wide_length(const wchar_t* text) {
    const wchar_t* at = text;
    while (*at != 0) at++;
    return (usize)(at - text);
}

INLINE usize wide_length_within(const wchar_t* text, usize limit) {
    usize i = 0;
    while (i < limit && text[i] != 0) i++;
    return i;
}

INLINE wchar_t* wide_copy(wchar_t* to, const wchar_t* from, usize count) {
    copy(to, from, count * sizeof *to);
    return to;
}

INLINE wchar_t* wide_copy_apart(const char* function, wchar_t* to, const wchar_t* from, usize count) {
    copy_apart(function, to, from, count * sizeof *to);
    return to;
}

INLINE void wide_fill_part(wchar_t* to, wchar_t value, usize count) {
    if (((uintptr_t)to & (sizeof *to - 1)) == 0) {
        uint64_t pattern = (uint32_t)value;
        pattern |= pattern << 32;
        fill_pattern((Byte*)to, pattern, count * sizeof *to);
    } else {
        for (usize i = 0; i < count; i++) *(Word4*)(to + i) = (uint32_t)value;
    }
}

INLINE wchar_t* wide_fill(wchar_t* to, wchar_t value, usize count) {
    say_range(to, NULL, count * sizeof *to);
    wide_fill_part(to, value, count);
    say_range_done();
    return to;
}

INLINE int wide_order(wchar_t a, wchar_t b) { return a < b ? -1 : a > b; }

INLINE wchar_t* wide_copy_text(const char* function, wchar_t* to, const wchar_t* from) {
    usize count = wide_length(from) + 1, bytes = count * sizeof *to;
    CHECK_OVERLAP(function, to, bytes, from, bytes, kNoLength);
    wide_copy(to, from, count);
    return to + count - 1;
}

INLINE wchar_t* wide_copy_padded(const char* function, wchar_t* to, const wchar_t* from, usize limit) {
    usize taken = wide_length_within(from, limit), read = taken < limit ? taken + 1 : limit;
    CHECK_OVERLAP(function, to, limit * sizeof *to, from, read * sizeof *to, limit);
    say_range(to, from, limit * sizeof *to);
    copy_part(to, from, taken * sizeof *to);
    wide_fill_part(to + taken, 0, limit - taken);
    say_range_done();
    return to + taken;
}

INLINE wchar_t* wide_append(const char* function, wchar_t* to, const wchar_t* from) {
    usize had = wide_length(to), count = wide_length(from) + 1;
    CHECK_OVERLAP(function, to, (had + count) * sizeof *to, from, count * sizeof *to, kNoLength);
    wide_copy(to + had, from, count);
    return to;
}

INLINE wchar_t* wide_append_limited(const char* function, wchar_t* to, const wchar_t* from, usize limit) {
    usize had = wide_length(to), taken = wide_length_within(from, limit);
    usize read = taken < limit ? taken + 1 : limit;
    CHECK_OVERLAP(function, to, (had + taken + 1) * sizeof *to, from, read * sizeof *to, limit);
    say_range(to + had, from, (taken + 1) * sizeof *to);
    copy_part(to + had, from, taken * sizeof *to);
    to[had + taken] = 0;
    say_range_done();
    return to;
}

INLINE wchar_t* wide_find_or_end(const wchar_t* text, wchar_t value) {
    while (*text != value && *text != 0) text++;
    return (wchar_t*)text;
}

INLINE wchar_t* wide_find(const wchar_t* text, wchar_t value) {
    wchar_t* at = wide_find_or_end(text, value);
    return *at == value ? at : NULL;
}

INLINE wchar_t* wide_find_last(const wchar_t* text, wchar_t value) {
    const wchar_t* last = NULL;
    for (;; text++) {
        if (*text == value) last = text;
        if (*text == 0) return (wchar_t*)last;
    }
}

INLINE int wide_compare_text(const wchar_t* a, const wchar_t* b) {
    while (*a == *b && *a != 0) a++, b++;
    return wide_order(*a, *b);
}

INLINE int wide_compare_text_within(const wchar_t* a, const wchar_t* b, usize limit) {
    for (; limit > 0; a++, b++, limit--) {
        if (*a != *b) return wide_order(*a, *b);
        if (*a == 0) break;
    }
    return 0;
}

INLINE wchar_t* wide_find_in(const wchar_t* memory, wchar_t value, usize count) {
    for (; count > 0; memory++, count--)
        if (*memory == value) return (wchar_t*)memory;
    return NULL;
}

INLINE int wide_compare(const wchar_t* a, const wchar_t* b, usize count) {
    for (; count > 0; a++, b++, count--)
        if (*a != *b) return wide_order(*a, *b);
    return 0;
}

// The _FORTIFY_SOURCE forms; `room` is in wide characters.
INLINE wchar_t* wide_copy_within(wchar_t* to, const wchar_t* from, usize count, usize room) {
    CHECK_ROOM(room, count);
    return wide_copy(to, from, count);
}

INLINE wchar_t* wide_copy_apart_within(const char* function, wchar_t* to, const wchar_t* from, usize count,
                                       usize room) {
    CHECK_ROOM(room, count);
    return wide_copy_apart(function, to, from, count);
}

INLINE wchar_t* wide_fill_within(wchar_t* to, wchar_t value, usize count, usize room) {
    CHECK_ROOM(room, count);
    return wide_fill(to, value, count);
}

INLINE wchar_t* wide_copy_text_within(const char* function, wchar_t* to, const wchar_t* from, usize room) {
    CHECK_ROOM(room, wide_length(from) + 1);
    return wide_copy_text(function, to, from);
}

INLINE wchar_t* wide_copy_padded_within(const char* function, wchar_t* to, const wchar_t* from, usize limit,
                                        usize room) {
    CHECK_ROOM(room, limit);
    return wide_copy_padded(function, to, from, limit);
}

INLINE wchar_t* wide_append_within(const char* function, wchar_t* to, const wchar_t* from, usize room) {
    CHECK_ROOM(room, wide_length_within(to, room) + wide_length(from) + 1);
    return wide_append(function, to, from);
}

INLINE wchar_t* wide_append_limited_within(const char* function, wchar_t* to, const wchar_t* from,
                                           usize limit, usize room) {
    CHECK_ROOM(room, wide_length_within(to, room) + wide_length_within(from, limit) + 1);
    return wide_append_limited(function, to, from, limit);
}
