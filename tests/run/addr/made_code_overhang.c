// SPDX-License-Identifier: GPL-2.0-or-later
//
// PROVES: code that a program makes while it runs and that reads whole vectors at the end of a block, as PCRE's does,
// PROVES: is reported once for each mapping, however many places do so; loads that could fault are each reported
// ARGS: --leak-check=no
// ARCH: x86_64
// XML: no
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <valgrind/valgrind.h>
#include "case.h"

// movdqu (%rdi), %xmm0; pcmpeqb %xmm0, %xmm0; ret
static const unsigned char code[] = {0xf3, 0x0f, 0x6f, 0x07, 0x66, 0x0f, 0x74, 0xc0, 0xc3};
typedef void Function(const char*);

static char* mapping(void) {
    char* made = mmap(0, 4096, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    for (int i = 0; i < 8; ++i) memcpy(made + 64 * i, code, sizeof code);
    return made;
}

static unsigned errors_of(char* made, const char* from, int places) {
    const unsigned before = VALGRIND_COUNT_ERRORS;
    for (int i = 0; i < places; ++i) {
        Function* function;
        char* at = made + 64 * i;
        memcpy(&function, &at, sizeof at);
        function(from);
    }
    return VALGRIND_COUNT_ERRORS - before;
}

int main(void) {
    char* block = HIDE((char*)aligned_alloc(64, 64 + 24));
    memset(block, 1, 64 + 24);
    // Two separate mappings, with a gap, so that the kernel does not merge them.
    char* first = mapping();
    mmap(0, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    char* second = mapping();
    if (errors_of(first, block + 64 + 16, 8) != 1) return 1;
    if (errors_of(second, block + 64 + 16, 8) != 1) return 2;
    char* line = HIDE((char*)aligned_alloc(64, 64));
    memset(line, 1, 64);
    if (errors_of(first, line + 56, 4) != 4) return 3;
    free(block);
    free(line);
    return 0;
}
