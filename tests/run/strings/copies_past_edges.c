// SPDX-License-Identifier: GPL-2.0-or-later
//
// PROVES: reads before or behind a block by functions that copy or compare memory are reported, whatever the block's
// PROVES: size, the distance and the width of the reads
// ARGS: --leak-check=no
// XML: no
#define _GNU_SOURCE
#include <stdlib.h>
#include <string.h>
#include <wchar.h>
#include <valgrind/valgrind.h>
#include "case.h"

enum { kLargest = 70, kFarthest = 16, kUnit = sizeof(wchar_t) };
static char to[512];

static void by_memcpy(const void* from, size_t bytes) { memcpy(to, from, bytes); }
static void by_memmove(const void* from, size_t bytes) { memmove(to, from, bytes); }
static void by_mempcpy(const void* from, size_t bytes) { mempcpy(to, from, bytes); }
static void by_wmemcpy(const void* from, size_t bytes) { wmemcpy((wchar_t*)to, from, bytes / kUnit); }
static void by_wmemmove(const void* from, size_t bytes) { wmemmove((wchar_t*)to, from, bytes / kUnit); }
static void by_wmempcpy(const void* from, size_t bytes) { wmempcpy((wchar_t*)to, from, bytes / kUnit); }
static void by_memcmp(const void* from, size_t bytes) { NEED(memcmp(from, to, bytes)); }
static void by_memchr(const void* from, size_t bytes) { NEED(memchr(from, 7, bytes)); }

static const struct {
    void (*read)(const void*, size_t);
    int unit;
} functions[] = {
    {by_memcpy, 1},      {by_memmove, 1},      {by_mempcpy, 1},     {by_wmemcpy, kUnit},
    {by_wmemmove, kUnit}, {by_wmempcpy, kUnit}, {by_memcmp, 1},     {by_memchr, 1},
};

int main(void) {
    for (unsigned f = 0; f < sizeof functions / sizeof *functions; ++f) {
        const int unit = functions[f].unit;
        for (int size = unit; size <= kLargest; size += unit)
            for (int over = unit; over <= kFarthest; over += unit) {
                char* block = HIDE((char*)malloc((size_t)size));
                memset(block, 1, (size_t)size);
                memset(to, 1, sizeof to);
                const unsigned before = VALGRIND_COUNT_ERRORS;
                functions[f].read(block, (size_t)size);
                if (VALGRIND_COUNT_ERRORS != before) return 1;
                functions[f].read(block, (size_t)(size + over));
                if (VALGRIND_COUNT_ERRORS == before) return 2 + (int)f;
                const unsigned behind = VALGRIND_COUNT_ERRORS;
                memset(to, 1, sizeof to);
                functions[f].read(block - over, (size_t)(over + size));
                if (VALGRIND_COUNT_ERRORS == behind) return 20 + (int)f;
                free(block);
            }
    }
    return 0;
}
