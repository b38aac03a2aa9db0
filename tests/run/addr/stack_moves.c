// SPDX-License-Identifier: GPL-2.0-or-later
// PROVES: every kind of stack pointer move is followed: alloca, variable-length arrays, longjmp, handlers on the
// stack and beside it, coroutines on static, heap and mapped stacks that are used again, threads on used stacks and
// on memory of their own, and that memory used for data afterwards.
// COMPILE: gcc clang -O0 -O2 -pthread
// EXPECT: nothing
#define _GNU_SOURCE
#include <alloca.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <ucontext.h>
#include "case.h"
static jmp_buf env;
NOINLINE static void deep(int n) { volatile char pad[300]; memset((void*)pad, n, sizeof pad); if (n == 0) longjmp(env, 1); deep(n - 1); }
NOINLINE static long use(int n) { volatile long a[100]; for (int i = 0; i < 100; ++i) a[i] = n; long s = 0; for (int i = 0; i < 100; ++i) s += a[i]; return s; }
NOINLINE static long dynamic(int n) { char* p = alloca(n); char v[n + 1]; memset(p, 1, n); memset(v, 2, n + 1); long s = 0; for (int i = 0; i < n; ++i) s += p[i] + v[i]; return s; }
static volatile long handled;
static void handler(int sig) { handled += use(sig) > 0; }
static ucontext_t main_context, contexts[3];
static char stacks[2][32768];
static int turns;
static void routine(int k) { for (int i = 0; i < 5; ++i) { turns += use(k + 1) > 0; swapcontext(&contexts[k], &main_context); } }
static void* work(void* p) { long s = 0; for (int i = 0; i < 50; ++i) s += use(i) + dynamic(i + 10); return (void*)s; }
int main(void) {
    long sum = 0;
    for (int i = 0; i < 20; ++i) { if (setjmp(env) == 0) deep(10); sum += use(i); }
    for (int i = 1; i < 50; ++i) sum += dynamic(i * 37);
    static char small[65536];
    stack_t alternate = {.ss_sp = small, .ss_size = sizeof small};
    sigaltstack(&alternate, 0);
    struct sigaction action = {.sa_handler = handler, .sa_flags = SA_ONSTACK};
    sigaction(SIGUSR1, &action, 0);
    action.sa_flags = 0;
    sigaction(SIGUSR2, &action, 0);
    for (int i = 0; i < 5; ++i) { raise(SIGUSR1); raise(SIGUSR2); sum += use(i); }
    char* memory[3] = {stacks[0], malloc(65536), mmap(0, 65536, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)};
    for (int round = 0; round < 2; ++round) {
        for (int k = 0; k < 3; ++k) {
            memset(memory[k], 0, 32768);
            getcontext(&contexts[k]);
            contexts[k].uc_stack.ss_sp = memory[k];
            contexts[k].uc_stack.ss_size = 32768;
            makecontext(&contexts[k], (void (*)(void))routine, 1, k);
        }
        for (int i = 0; i < 5; ++i) for (int k = 0; k < 3; ++k) { swapcontext(&main_context, &contexts[k]); sum += use(k); }
    }
    for (int r = 0; r < 3; ++r) {
        pthread_t t[4];
        for (int i = 0; i < 4; ++i) pthread_create(&t[i], 0, work, 0);
        for (int i = 0; i < 4; ++i) { void* s; pthread_join(t[i], &s); sum += (long)s; }
    }
    char* own = malloc(65536);
    pthread_attr_t attr; pthread_attr_init(&attr); pthread_attr_setstack(&attr, own, 65536);
    pthread_t t; pthread_create(&t, &attr, work, 0); pthread_join(t, 0);
    memset(own, 0, 65536); sum += own[100]; free(own);
    BRANCH_ON(sum == 12345);
    return handled == 10 && turns == 30 ? 0 : 1;
}
