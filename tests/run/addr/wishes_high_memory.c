// SPDX-License-Identifier: GPL-2.0-or-later
// PROVES: a program that would like its memory at terabytes, as Go and mimalloc do, gets memory whose states are its
// own: unmapping it does not change those of the heap, and its accesses are right beside a block's red zone. One that
// wants much of it, and none below 8 GiB, as GHC's runtime does, gets some after it has asked for less and less.
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include "case.h"

int main(void) {
    volatile char* block = HIDE((char*)malloc(100));  /* label: B */
    block[16] = 1;
    const uintptr_t page = (uintptr_t)block & ~(uintptr_t)4095;
    for (uintptr_t above = UINT64_C(1) << 37; above < UINT64_C(1) << 44; above *= 2) {
        char* wished = mmap((void*)(above + page), 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (wished == MAP_FAILED) return 1;
        volatile char* memory = wished;
        for (unsigned i = 0; i < 8192; ++i) memory[i] = 1;
        if (munmap(wished, 8192) != 0) return 2;
        if (block[16] != 1) return 3;
    }
    char* reserved = MAP_FAILED;
    for (size_t bytes = (size_t)1 << 40, step = 0; reserved == MAP_FAILED; step += 4096) {
        char* wish = (char*)(UINT64_C(0x4200000000) + step);
        reserved = mmap(wish, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        if (reserved == MAP_FAILED)
            bytes -= bytes / 8;
        else if (reserved < (char*)(UINT64_C(8) << 30))
            return 4;
    }
    block[100] = 1;  /* expect: InvalidWrite alloc=B free=none */
    free((char*)block);
    return 0;
}
