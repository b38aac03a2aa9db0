// SPDX-License-Identifier: GPL-2.0-or-later
// PROVES: a call of a function on strings or memory that goes beyond a block is one error, however many accesses it
// PROVES: takes. It is about the first byte outside and all those that the call reads or writes from there.
// COMPILE: gcc clang -O0 -O2 -fno-builtin
// TOOL: memspy
#define _GNU_SOURCE
#include <stdlib.h>
#include <string.h>
#include <wchar.h>
#include "case.h"

// 31 characters; none of the lengths below fills words evenly.
static const char text[] = "abcdefghijklmnopqrstuvwxyz01234";
static const wchar_t wide[] = L"abcdefghijk";
enum { kWide = sizeof(wchar_t) };

NOINLINE static char* fresh(size_t bytes) {
    char* block = (char*)malloc(bytes);  /* label: A */
    memset(block, 0, bytes);
    return HIDE(block);
}
// The block holds nothing but `had` characters and a NUL.
NOINLINE static char* holding(size_t bytes, size_t had) {
    char* block = fresh(bytes);
    for (size_t i = 0; i < had; i++) block[i] = 'x';
    return block;
}

int main(void) {
    char* from = HIDE((char*)text);
    wchar_t* wide_from = HIDE((wchar_t*)wide);
    char to[64];
    char* p;

    // 32 bytes into 10, 13, 19.
    strcpy(p = fresh(10), from);  /* expect: InvalidWrite alloc=A text="size 22" */
    free(p);
    stpcpy(p = fresh(13), from);  /* expect: InvalidWrite alloc=A text="size 19" */
    free(p);
    strncpy(p = fresh(19), from, 41);  /* expect: InvalidWrite alloc=A text="size 22" */
    free(p);
    stpncpy(p = fresh(3), from, 17);  /* expect: InvalidWrite alloc=A text="size 14" */
    free(p);
    strcat(p = holding(21, 6), from);  /* expect: InvalidWrite alloc=A text="size 17" */
    free(p);
    strncat(p = holding(21, 6), from, 27);  /* expect: InvalidWrite alloc=A text="size 13" */
    free(p);
    memcpy(p = fresh(5), from, 28);  /* expect: InvalidWrite alloc=A text="size 23" */
    free(p);
    mempcpy(p = fresh(5), from, 27);  /* expect: InvalidWrite alloc=A text="size 22" */
    free(p);
    memset(p = fresh(7), 1, 30);  /* expect: InvalidWrite alloc=A text="size 23" */
    free(p);
    // Overlapping, from below and from above.
    p = fresh(33);
    memmove(p + 3, p, 33);  /* expect: InvalidWrite alloc=A text="size 3" */
    memmove(p - 3, p, 33);  /* expect: InvalidWrite alloc=A text="3 bytes before" */
    free(p);
    wcscpy((wchar_t*)(p = fresh(5 * kWide)), wide_from);  /* expect: InvalidWrite alloc=A text="size 28" */
    free(p);
    wcsncpy((wchar_t*)(p = fresh(5 * kWide)), wide_from, 20);  /* expect: InvalidWrite alloc=A text="size 60" */
    free(p);
    wcscat((wchar_t*)(p = fresh(5 * kWide)), wide_from);  /* expect: InvalidWrite alloc=A text="size 28" */
    free(p);
    wmemcpy((wchar_t*)(p = fresh(5 * kWide)), wide_from, 12);  /* expect: InvalidWrite alloc=A text="size 28" */
    free(p);
    wmemset((wchar_t*)(p = fresh(5 * kWide)), 7, 18);  /* expect: InvalidWrite alloc=A text="size 52" */
    free(p);

    // Too much is read.
    memcpy(to, p = fresh(9), 32);  /* expect: InvalidRead alloc=A text="size 23" */
    free(p);
    memmove(to, p = fresh(9), 32);  /* expect: InvalidRead alloc=A text="size 23" */
    free(p);
    // How far a search reads is not known before: characters, and words where both operands have so many.
    p = fresh(40);
    memset(p, 'y', 40);
    NEED(strnlen(p, 47));  /* expect: InvalidRead alloc=A text="size 1" */
    strncpy(to, p, 47);  /* expect: InvalidRead alloc=A text="size 1" */
    NEED(memchr(p, 'z', 47));  /* expect: InvalidRead alloc=A text="size 1" */
    free(p);

    // Freed as a whole.
    p = fresh(29);
    free(p);  /* label: F */
    ESCAPE(p);
    strcpy(p, from);  /* expect: InvalidWrite alloc=A free=F text="size 32" */
    // The same call into blocks of other sizes is the same error.
    for (size_t bytes = 1; bytes < 31; bytes++) {
        p = fresh(bytes);
        strcpy(p, from);  /* expect: InvalidWrite alloc=A text="size 31" */
        free(p);
    }
    return 0;
}
