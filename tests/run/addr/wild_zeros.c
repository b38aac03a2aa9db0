// SPDX-License-Identifier: GPL-2.0-or-later
// PROVES: the heap is not executable. A jump into a block, freed or not, ends there, as natively, with one report; zeros,
// which are instructions that load and store, are not run through. A block that the program makes executable is.
// COMPILE: gcc clang -O0
// ARCH: x86_64
// TIMEOUT: 60
#include <setjmp.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include "case.h"

enum { SIZE = 1 << 20, PAGE = 4096 };
static sigjmp_buf before;
static int faults;
static void go_on(int signal) {
    faults++;
    siglongjmp(before, signal);
}

static void jump_to(void* place) { ((void (*)(void))place)(); }  /* expect: InvalidJump alloc=A text="0 bytes inside a block" */ /* expect: InvalidJump alloc=A free=F text="0 bytes inside a block" */
#define TRY(call) do { if (!sigsetjmp(before, 1)) { call; } } while (0)

int main(void) {
    signal(SIGSEGV, go_on);
    char* block = HIDE((char*)malloc(SIZE));  /* label: A */
    memset(block, 0, SIZE);
    TRY(jump_to(block));
    free(block);  /* label: F */
    TRY(jump_to(block));

    char* code = HIDE((char*)aligned_alloc(PAGE, PAGE));
    memset(code, 0xc3, PAGE);  // return
    if (mprotect(code, PAGE, PROT_READ | PROT_WRITE | PROT_EXEC)) return 1;
    TRY(jump_to(code));
    free(code);
    return faults != 2;
}
