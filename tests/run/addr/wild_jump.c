// SPDX-License-Identifier: GPL-2.0-or-later
// PROVES: a jump into a freed block, and one to where nothing is mapped, is reported with the block. (The frame
// that jumps is not known to the unwinder, the one that called it is.)
// COMPILE: gcc clang -O0
// ARCH: x86_64
// TIMEOUT: 20
#include <setjmp.h>
#include <signal.h>
#include <stdlib.h>
#include "case.h"

static sigjmp_buf before;
static void go_on(int signal) { siglongjmp(before, signal); }
#define TRY(call) do { if (!sigsetjmp(before, 1)) { call; } } while (0)

static void jump_to(void* place) { ((void (*)(void))place)(); }

int main(void) {
    signal(SIGSEGV, go_on);
    signal(SIGILL, go_on);
    unsigned char* code = HIDE((unsigned char*)calloc(1, 64));  /* label: A */
    code[0] = 0xc3;  // return
    free(code);  /* label: F */
    TRY(jump_to(HIDE(code)));  /* expect: InvalidJump alloc=A free=F text="use-after-free" */
    TRY(jump_to(HIDE((void*)0x40)));  /* expect: InvalidJump text="Address 0x40 is not" */
    return 0;
}
