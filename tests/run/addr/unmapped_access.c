// SPDX-License-Identifier: GPL-2.0-or-later
// PROVES: accesses by null pointers, constant ones too, to memory that was unmapped and above the program's break are
// reported, whether the program handles the signal or not; memory that is mapped again, moved or grown is good.
// COMPILE: gcc clang -O0 -O2
#define _GNU_SOURCE
#include <setjmp.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "case.h"

enum { kBytes = 3 * 4096 };
static sigjmp_buf before;
static void go_on(int signal) { siglongjmp(before, signal); }
#define TRY(access) do { if (!sigsetjmp(before, 1)) { access; } } while (0)

static volatile char* map(void* at, int how) {
    return mmap(at, kBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | how, -1, 0);
}

int main(void) {
    signal(SIGSEGV, go_on);
    struct pair { long first, second; } volatile* none = HIDE((struct pair*)0);
    TRY(NEED(none->second));  /* expect: InvalidRead text="Address 0x8 is not" */
    TRY(*(volatile int*)0x40 = 1);  /* expect: InvalidWrite text="Address 0x40 is not" */
    volatile char* memory = map(0, 0);
    memory[4096] = 1;
    munmap((void*)(memory + 4096), 4096);
    NEED(memory[4095]);
    TRY(NEED(memory[4096]));  /* expect: InvalidRead */
    TRY(memory[8191] = 1);  /* expect: InvalidWrite */
    memory[8192] = 1;
    memory = map((void*)memory, MAP_FIXED);
    for (int i = 0; i < kBytes; ++i) BRANCH_ON(memory[i] == 1);
    volatile char* moved = mremap((void*)memory, kBytes, 64 * kBytes, MREMAP_MAYMOVE);
    for (int i = 0; i < 64 * kBytes; ++i) BRANCH_ON(moved[i] == 1);
    volatile char* end = sbrk(0);
    sbrk(100);
    end[99] = 1;
    NEED(end[100]);  /* expect: InvalidRead */
    sbrk(100);
    NEED(end[100]);
    return 0;
}
