// SPDX-License-Identifier: GPL-2.0-or-later
// PROVES: frames at a stack pointer that is no multiple of four, as Rust's compiler makes them, are followed exactly
// over jumps and calls: what was written is silent, what was not is reported.
// COMPILE: gcc clang -O0 -O2
// ARCH: x86_64
#include "case.h"

// Stores `value` to an odd frame in one superblock, and in the next loads it again and returns the eight bytes from
// `skip` bytes below it on.
long odd(long value, long skip);
__asm__(".text\n.globl odd\n.type odd, @function\nodd:\n"
        "sub $0x27, %rsp\n call 1f\n mov %rdi, 0x1f(%rsp)\n mov %rdi, 0x17(%rsp)\n movb $1, 0xb(%rsp)\n call 1f\n"
        "mov 0x1f(%rsp), %rax\n cmp %rax, %rdi\n jne 2f\n cmpb $1, 0xb(%rsp)\n jne 2f\n"
        "lea 0x1f(%rsp), %rax\n sub %rsi, %rax\n mov (%rax), %rax\n add $0x27, %rsp\n ret\n"
        "1: push %rdi\n pop %rcx\n ret\n2: ud2\n.size odd, . - odd\n");

int main(void) {
    for (int i = 0, last = HIDE(20); i < last; ++i) {
        BRANCH_ON(odd(i, 0) == 5);
        BRANCH_ON(odd(i, 8) == 5);
        BRANCH_ON(odd(i, 3) == 5);
    }
    BRANCH_ON(odd(0, 9) == 5);  /* expect: UninitCondition */
    BRANCH_ON(odd(0, 16) == 5);  /* expect: UninitCondition */
    return 0;
}
