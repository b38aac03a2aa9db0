// SPDX-License-Identifier: GPL-2.0-or-later
// PROVES: code that is new at the end, when the core calls the library's cleanup in a thread that has ended, runs with
// --mix=yes, though it needs more counters than there were before
// ARCH: x86_64
// COMPILE: gcc clang -O1 -rdynamic
// ARGS: --mix=yes
// EXPECT: nothing

// The core calls it in place of the C++ library's. Each branch has four counters, and a piece has 65,536.
void cleanup(void) __asm__("_ZN9__gnu_cxx9__freeresEv");
void cleanup(void) {
    __asm__ volatile(".rept 20000; test %%eax, %%eax; jz 1f; 1: nop; .endr" ::: "cc");
    __asm__ volatile("movb $'!', %%al" ::: "eax");
}

int main(void) { return 0; }
