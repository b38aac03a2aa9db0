// SPDX-License-Identifier: GPL-2.0-or-later
//
// Enumerators and their words in the profile.
#pragma once

#include "rt/base.h"

namespace memspy::advice {

// `Count` if it is none of the words.
template <typename E, usize n>
E value_of(const char* word, const char* const (&words)[n]) {
    static_assert(n == static_cast<usize>(E::Count));
    usize i = 0;
    for (; i < n; ++i) {
        usize c = 0;
        while (words[i][c] != '\0' && words[i][c] == word[c]) ++c;
        if (words[i][c] == word[c]) break;
    }
    return static_cast<E>(i);
}

}  // namespace memspy::advice
