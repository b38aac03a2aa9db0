/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * A call of the wrapped function with 13 words: valgrind.h has such calls with up to 12, and
 * MPI_Rget_accumulate has one more. As there, the stack stays aligned, and registers that the function may
 * change are named.
 */
#ifndef MEMSPY_PRELOAD_CALL_13_H
#define MEMSPY_PRELOAD_CALL_13_H

#include "memspy.h"

#define CALL_FN_W_13W(result, original, ...)                                                                 \
    do {                                                                                                     \
        volatile unsigned long words[] = {(original).nraddr, __VA_ARGS__};                                   \
        unsigned long value;                                                                                 \
        CALL_WITH_13(value, words);                                                                          \
        (result) = value;                                                                                    \
    } while (0)

#if defined(VGA_arm64)
/* The first eight go into registers. */
#define CALL_WITH_13(value, words)                                                                           \
    __asm__ volatile(VALGRIND_ALIGN_STACK                                                                    \
                     "mov x9, %1\n\t"                                                                        \
                     "sub sp, sp, #48\n\t"                                                                   \
                     "ldp x0, x1, [x9, #72]\n\t"                                                             \
                     "stp x0, x1, [sp]\n\t"                                                                  \
                     "ldp x0, x1, [x9, #88]\n\t"                                                             \
                     "stp x0, x1, [sp, #16]\n\t"                                                             \
                     "ldr x0, [x9, #104]\n\t"                                                                \
                     "str x0, [sp, #32]\n\t"                                                                 \
                     "ldp x0, x1, [x9, #8]\n\t"                                                              \
                     "ldp x2, x3, [x9, #24]\n\t"                                                             \
                     "ldp x4, x5, [x9, #40]\n\t"                                                             \
                     "ldp x6, x7, [x9, #56]\n\t"                                                             \
                     "ldr x8, [x9]\n\t" VALGRIND_BRANCH_AND_LINK_TO_NOREDIR_X8 VALGRIND_RESTORE_STACK        \
                     "mov %0, x0"                                                                            \
                     : "=r"(value)                                                                           \
                     : "r"(words)                                                                            \
                     : "cc", "memory", __CALLER_SAVED_REGS, "x21")
#else
/* The first six go into registers. The red zone of the wrapper's frame is stepped over. */
#define CALL_WITH_13(value, words)                                                                           \
    __asm__ volatile(                                                                                        \
        VALGRIND_CFI_PROLOGUE VALGRIND_ALIGN_STACK                                                           \
        "subq $136, %%rsp\n\t"                                                                               \
        "pushq 104(%%rax)\n\t"                                                                               \
        "pushq 96(%%rax)\n\t"                                                                                \
        "pushq 88(%%rax)\n\t"                                                                                \
        "pushq 80(%%rax)\n\t"                                                                                \
        "pushq 72(%%rax)\n\t"                                                                                \
        "pushq 64(%%rax)\n\t"                                                                                \
        "pushq 56(%%rax)\n\t"                                                                                \
        "movq 48(%%rax), %%r9\n\t"                                                                           \
        "movq 40(%%rax), %%r8\n\t"                                                                           \
        "movq 32(%%rax), %%rcx\n\t"                                                                          \
        "movq 24(%%rax), %%rdx\n\t"                                                                          \
        "movq 16(%%rax), %%rsi\n\t"                                                                          \
        "movq 8(%%rax), %%rdi\n\t"                                                                           \
        "movq (%%rax), %%rax\n\t" VALGRIND_CALL_NOREDIR_RAX VALGRIND_RESTORE_STACK VALGRIND_CFI_EPILOGUE     \
        : "=a"(value)                                                                                        \
        : "a"(words)__FRAME_POINTER                                                                          \
        : "cc", "memory", __CALLER_SAVED_REGS, "r14", "r15")
#endif

#endif
