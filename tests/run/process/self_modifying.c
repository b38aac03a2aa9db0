// SPDX-License-Identifier: GPL-2.0-or-later
// PROVES: code that the program writes into a heap block, runs, and rewrites is silent and right.
// ARGS: --smc-check=all-non-file
// EXPECT: nothing
#define _GNU_SOURCE
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include "case.h"

int main(void) {
    unsigned char* code = (unsigned char*)aligned_alloc(4096, 4096);
    if (mprotect(code, 4096, PROT_READ | PROT_WRITE | PROT_EXEC)) return 1;
    int (*f)(void) = (int (*)(void))code;
    for (int i = 0; i < 20; i++) {
#ifdef __aarch64__
        const unsigned text[] = {0x52800000u | (unsigned)i << 5, 0xd65f03c0u}; // mov w0, #i; ret
#else
        const unsigned char text[] = {0xb8, (unsigned char)i, 0, 0, 0, 0xc3}; // mov $i, %eax; ret
#endif
        memcpy(code, text, sizeof text);
        __builtin___clear_cache((char*)code, (char*)code + sizeof text);
        BARRIER();
        if (f() != i) return 2;
    }
    mprotect(code, 4096, PROT_READ | PROT_WRITE);
    free(code);
    return 0;
}
