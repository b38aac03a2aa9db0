// SPDX-License-Identifier: GPL-2.0-or-later
//
// Functions that the replacements call in the native test, in place of the tool and of abort().
#pragma once

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif
void test_overlap(const char* function, const void* destination, const void* source, size_t bytes);
__attribute__((noreturn)) void test_buffer_overflow(void);
#ifdef __cplusplus
}
#endif

#define MEMSPY_OVERLAP(function, destination, source, bytes) \
    test_overlap(function, destination, source, bytes)
#define MEMSPY_BUFFER_OVERFLOW() test_buffer_overflow()
