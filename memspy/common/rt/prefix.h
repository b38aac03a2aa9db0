// SPDX-License-Identifier: GPL-2.0-or-later
//
// Tests of zero-terminated texts for what they begin with or contain, for names of functions and files.
#pragma once

#include "rt/base.h"

namespace memspy::rt {

inline bool starts_with(const char* text, const char* start) {
    while (*start != '\0')
        if (*text++ != *start++) return false;
    return true;
}

inline bool contains(const char* text, const char* part) {
    for (; *text != '\0'; ++text)
        if (starts_with(text, part)) return true;
    return *part == '\0';
}

template <usize n>
bool starts_with_one_of(const char* text, const char* const (&starts)[n]) {
    for (const char* start : starts)
        if (starts_with(text, start)) return true;
    return false;
}

template <usize n>
bool contains_one_of(const char* text, const char* const (&parts)[n]) {
    for (const char* part : parts)
        if (contains(text, part)) return true;
    return false;
}

}  // namespace memspy::rt
