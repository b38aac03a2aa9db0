// SPDX-License-Identifier: GPL-2.0-or-later
// PROVES: a handler on an alternate stack in a heap block is silent, and its stack is addressable.
// EXPECT: nothing
#include <signal.h>
#include <stdlib.h>
#include "case.h"

static volatile int hits;

static void handler(int signal, siginfo_t* info, void* context) {
    char area[2000];
    for (int i = 0; i < 2000; i++) ((volatile char*)area)[i] = 1;
    hits += info->si_signo == signal && context;
}

int main(void) {
    stack_t stack = {0};
    stack.ss_size = 65536;
    stack.ss_sp = malloc(stack.ss_size);
    if (sigaltstack(&stack, 0)) return 1;
    struct sigaction action = {0};
    action.sa_sigaction = handler;
    action.sa_flags = SA_ONSTACK | SA_SIGINFO;
    sigaction(SIGUSR2, &action, 0);
    for (int i = 0; i < 5; i++) raise(SIGUSR2);
    stack.ss_flags = SS_DISABLE;
    sigaltstack(&stack, 0);
    free(stack.ss_sp);
    return hits != 5;
}
