// SPDX-License-Identifier: GPL-2.0-or-later
// PROVES: the first instruction of a process counts, and its map begins at time 0: nothing was executed before it
// COMPILE: gcc clang -O1 -nostdlib -static -Wl,-efirst
// ARGS: --locality=exact --contention=no
// EXPECT: nothing
// LOCALITY: function first accesses>=201 accesses<=202
volatile long data = 1;  // without any, the core reads no names
#ifdef __x86_64__
__asm__(".globl first\n"
        ".type first, @function\n"
        "first: push $100\n"
        "1: decq (%rsp)\n"
        "jnz 1b\n"
        "mov $231, %eax\n"
        "xor %edi, %edi\n"
        "syscall\n"
        ".size first, . - first\n");
#else
__asm__(".globl first\n"
        ".type first, %function\n"
        "first: str xzr, [sp, #-16]!\n"
        "mov x1, #100\n"
        "1: str x1, [sp]\n"
        "ldr x0, [sp]\n"
        "subs x1, x1, #1\n"
        "b.ne 1b\n"
        "mov x8, #94\n"
        "mov x0, #0\n"
        "svc #0\n"
        ".size first, . - first\n");
#endif
