// SPDX-License-Identifier: GPL-2.0-or-later
// PROVES: accesses where no memory is are reported with their kind, size and address, and the program's handler sees the
// signal as natively; what a page only forbids, and a stack without room, is none. Forms: plain and vector loads and
// stores, an address computed by an index, an atomic and a plain update, one that no memory can have, a jump.
// COMPILE: gcc clang -O0 -O2
#define _GNU_SOURCE
#include <setjmp.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "case.h"

static sigjmp_buf before;
static void* volatile seen;
static volatile int code_seen, count;
static void go_on(int signal, siginfo_t* info, void* context) {
    (void)context;
    seen = info->si_addr;
    code_seen = info->si_code;
    ++count;
    siglongjmp(before, signal);
}
#define TRY(...) do { if (!sigsetjmp(before, 1)) { __VA_ARGS__; } } while (0)
#define SAW(address) do { if (seen != (void*)(address)) _Exit(count); } while (0)

typedef long pair __attribute__((vector_size(16)));
static const char constant[64] = "x";
static int overflow(int depth) {
    volatile char frame[8192];
    frame[depth % 8192] = 1;
    return overflow(depth + 1) + frame[depth % 7];
}

int main(void) {
    static char other_stack[65536];
    const stack_t alternate = {.ss_sp = other_stack, .ss_size = sizeof other_stack};
    struct sigaction action;
    memset(&action, 0, sizeof action);
    action.sa_sigaction = go_on;
    action.sa_flags = SA_SIGINFO | SA_ONSTACK;
    sigaltstack(&alternate, NULL);
    sigaction(SIGSEGV, &action, NULL);
    const uintptr_t far = (uintptr_t)HIDE((char*)0x123456789000), near = (uintptr_t)HIDE((char*)0x700000000);

    TRY(*(volatile int*)far = 1);  /* expect: InvalidWrite text="0x123456789000 is not" */
    SAW(far);
    TRY(NEED(*(volatile short*)(far + 2)));  /* expect: InvalidRead text="Invalid read of size 2" */
    SAW(far + 2);
    TRY(NEED(((volatile long*)near)[3]));  /* expect: InvalidRead text="0x700000018 is not" */
    SAW(near + 24);
    TRY(*(volatile pair*)near = (pair){1, 2});  /* expect: InvalidWrite text="size 16" */
    TRY(*(volatile char*)near += 1);  /* expect: InvalidRead text="size 1" */
    TRY(__atomic_fetch_add((long*)near, 2, __ATOMIC_SEQ_CST));  /* expect: InvalidRead text="size 8" */
    // A loop that VEX unrolls: which of its copies gets there depends on where it starts.
    if (mmap((void*)(near - 4096), 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) == MAP_FAILED) return 2;
    void* (*volatile fill)(void*, int, size_t) = memset;
    for (volatile int first = 16; first <= 64; first += 16) {
        TRY(fill((void*)(near - 4096 + first), 1, 5000));  /* expect: InvalidWrite text="write of size 16" */
        SAW(near);
    }
    const uintptr_t none = (uintptr_t)HIDE((char*)0x4141414141414141);
    TRY(*(volatile short*)none = 1);  /* expect: InvalidWrite text="0x4141414141414141 is not" only=x86_64 */
    TRY(NEED(*(volatile int*)none));  /* expect: InvalidRead text="size 4" only=x86_64 */

    if (!sigsetjmp(before, 1)) *(volatile char*)HIDE((char*)constant) = 1;
    if (code_seen != SEGV_ACCERR) return 2;
    char* page = mmap(NULL, 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    TRY(*(volatile char*)page = 1);
    SAW(page);
    const int faults = count;
    if (!sigsetjmp(before, 1)) return overflow(0);
    return count == faults + 1 ? 0 : 3;
}
