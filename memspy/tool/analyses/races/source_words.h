// SPDX-License-Identifier: GPL-2.0-or-later
//
// Names of variables in the text of a line of source.
#pragma once

#include "rt/base.h"

namespace memspy::races {

inline bool is_word(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}
inline char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

inline const char* behind_spaces(const char* at) {
    while (*at == ' ' || *at == '\t') ++at;
    return at;
}

struct SourceWord {
    const char* text;
    usize length;

    // The word stands at this place of the line, which begins at `line`. Fortran knows no case.
    bool is_at(const char* at, const char* line) const {
        if (at != line && is_word(at[-1])) return false;
        for (usize i = 0; i < length; ++i)
            if (lower(at[i]) != lower(text[i])) return false;
        return !is_word(at[length]);
    }
    bool is_in(const char* line) const {
        for (const char* at = line; *at != '\0'; ++at)
            if (is_at(at, line)) return true;
        return false;
    }
};

}  // namespace memspy::races
