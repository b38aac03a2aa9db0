// SPDX-License-Identifier: GPL-2.0-or-later
// PROVES: push and pop through a stack pointer that is moved into a heap block are checked like stores
// and loads, also when they leave the block.
// ARCH: x86_64
#include <stdlib.h>
#include "case.h"

NOINLINE static void push_at(char* top) {
    __asm__ volatile(
        "mov %%rsp, %%r12\n\t"
        "mov %0, %%rsp\n\t"
        "push $5\n\t"
        "pop %%rax\n\t"
        "mov %%r12, %%rsp"
        : : "r"(top) : "rax", "r12", "memory");
}

int main(void) {
    char* p = HIDE((char*)calloc(1, 4096));
    push_at(p + 4096);
    push_at(p + 512);
    if (((long*)p)[511] != 5) return 1;
    free(p);
    return 0;
}
// EXPECT: nothing
