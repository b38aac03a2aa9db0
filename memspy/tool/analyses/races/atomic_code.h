// SPDX-License-Identifier: GPL-2.0-or-later
//
// Whether a file's code has atomic updates or fences at all. A program that uses atomic variables has some; in
// one without, each load and store is a plain one, whether symbols or source tell it or not. Bytes are looked
// at, not instructions. No Valgrind here.
#pragma once

#include "rt/base.h"

namespace memspy::races {

bool has_atomic_x86(const u8* code, usize bytes);
bool has_atomic_arm64(const u8* code, usize bytes);

// The machine's.
inline bool has_atomic_code(const u8* code, usize bytes) {
#if defined(__aarch64__)
    return has_atomic_arm64(code, bytes);
#else
    return has_atomic_x86(code, bytes);
#endif
}

}  // namespace memspy::races
