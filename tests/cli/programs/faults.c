// SPDX-License-Identifier: GPL-2.0-or-later
//
// One defect of several kinds each, in this order; says so on its output when it got to the end.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

__attribute__((noinline)) static void overrun(volatile char* p) { p[10] = 1; }
__attribute__((noinline)) static void underrun(volatile char* p) { p[20] = p[-1]; }
__attribute__((noinline)) static void branch(volatile char* p) { if (p[5] == 3) puts("three"); }
__attribute__((noinline)) static void lose(void) { volatile char* p = malloc(33); p[0] = 1; }

// Through pointers: Valgrind translates a direct call of a very short function with the line of the call.
static void (*volatile overrun_)(volatile char*) = overrun;
static void (*volatile underrun_)(volatile char*) = underrun;

// Overwrites stale pointers below the stack pointer.
__attribute__((noinline)) static void wash(void) {
    volatile char area[4096];
    for (unsigned i = 0; i < sizeof area; i++) area[i] = 0;
}

int main(void) {
    char* p = malloc(10);
    overrun_(p);
    char* q = calloc(1, 30);
    underrun_(q);
    branch(p);
    free(q);
    free(q);
    free(p);
    lose();
    wash();
    puts("reached the end");
    return 3;
}
