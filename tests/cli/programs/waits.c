// SPDX-License-Identifier: GPL-2.0-or-later
//
// Holds some blocks, loses one, says their addresses and runs until its input ends.
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static char** holder;
__attribute__((noinline)) static void lose(void) { volatile char* p = malloc(77); p[0] = 1; }

// Overwrites stale pointers below the stack pointer.
__attribute__((noinline)) static void wash(void) {
    volatile char area[4096];
    for (unsigned i = 0; i < sizeof area; i++) area[i] = 0;
}

int main(void) {
    holder = malloc(64);
    for (int i = 0; i < 8; i++) holder[i] = 0;
    holder[5] = malloc(99);
    lose();
    wash();
    printf("%p %p\n", (void*)holder, (void*)holder[5]);
    fflush(stdout);
    struct pollfd input = {0, POLLIN, 0};
    volatile unsigned long spin = 0;
    while (poll(&input, 1, 5) == 0)
        for (int i = 0; i < 100000; i++) spin++;
    return 0;
}
