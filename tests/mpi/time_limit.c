// SPDX-License-Identifier: GPL-2.0-or-later
//
// Does as its argument says until a signal comes: "compute", "block" in a system call, "exit" from a handler with
// status 3, "ignore" in a handler that only counts; for "ignore" the parent kills it afterwards. One block is lost.
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static volatile sig_atomic_t signals;

static void leave(int signal) {
    (void)signal;
    exit(3);
}
static void count(int signal) {
    (void)signal;
    ++signals;
    (void)!write(1, "signal\n", 7);
}

static void lose(void) {
    volatile char* block = malloc(77);
    block[0] = 1;
    block = 0;
}

int main(int argc, char** argv) {
    const char* mode = argc > 1 ? argv[1] : "compute";
    if (strcmp(mode, "exit") == 0) {
        signal(SIGTERM, leave);
        signal(SIGUSR1, leave);
    }
    if (strcmp(mode, "ignore") == 0) {
        signal(SIGTERM, count);
        signal(SIGUSR1, count);
    }
    lose();
    puts("ready");
    fflush(stdout);
    volatile unsigned long steps = 0;
    char byte;
    for (;;) {
        ++steps;
        if (strcmp(mode, "block") == 0) (void)!read(0, &byte, 1);
    }
}
