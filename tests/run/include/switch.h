// SPDX-License-Identifier: GPL-2.0-or-later
//
// A coroutine switch of the kind that libraries write by hand: registers on the stack, one stack pointer for
// another.
#pragma once

#include <stddef.h>
#include <stdint.h>

void switch_stack(void** save, void* to);
#if defined(__x86_64__)
__asm__(".text\n.globl switch_stack\n.type switch_stack, @function\nswitch_stack:\n"
        "push %rbp\npush %rbx\npush %r12\npush %r13\npush %r14\npush %r15\n"
        "mov %rsp, (%rdi)\nmov %rsi, %rsp\n"
        "pop %r15\npop %r14\npop %r13\npop %r12\npop %rbx\npop %rbp\nret\n"
        ".size switch_stack, . - switch_stack\n");
#else
__asm__(".text\n.globl switch_stack\n.type switch_stack, %function\nswitch_stack:\n"
        "stp x29, x30, [sp, #-96]!\nstp x19, x20, [sp, #16]\nstp x21, x22, [sp, #32]\n"
        "stp x23, x24, [sp, #48]\nstp x25, x26, [sp, #64]\nstp x27, x28, [sp, #80]\n"
        "mov x9, sp\nstr x9, [x0]\nmov sp, x1\n"
        "ldp x19, x20, [sp, #16]\nldp x21, x22, [sp, #32]\nldp x23, x24, [sp, #48]\n"
        "ldp x25, x26, [sp, #64]\nldp x27, x28, [sp, #80]\nldp x29, x30, [sp], #96\nret\n"
        ".size switch_stack, . - switch_stack\n");
#endif

// What switch_stack takes to begin `entry`, which must not return, on the stack that ends at `end`.
static inline void* new_coroutine(void* end, void (*entry)(void)) {
    uintptr_t* words = (uintptr_t*)((uintptr_t)end & ~(uintptr_t)15);
#if defined(__x86_64__)
    words -= 8;
    for (int i = 0; i < 8; ++i) words[i] = 0;
    words[6] = (uintptr_t)entry;
#else
    words -= 12;
    for (int i = 0; i < 12; ++i) words[i] = 0;
    words[1] = (uintptr_t)entry;
#endif
    return words;
}
