// SPDX-License-Identifier: GPL-2.0-or-later
//
// One instruction, or a few, with a pointer as %0. They may change x9 to x12, v0 to v3, flags and memory.
#pragma once

#include <stdlib.h>
#include "case.h"

#define AT(pointer, code) \
    __asm__ volatile(code : : "r"(pointer) : "memory", "cc", "x9", "x10", "x11", "x12", "v0", "v1", "v2", "v3")
