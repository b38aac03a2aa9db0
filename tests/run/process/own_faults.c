// SPDX-License-Identifier: GPL-2.0-or-later
//
// PROVES: a program that lets accesses fault and continues behind them does so as natively, in any thread and with
// PROVES: any analyses: its handler sees all registers as they were, even if nothing else uses them or the loaded
// PROVES: value
// COMPILE: gcc -O1 -pthread
// ARCH: x86_64
// EXPECT: nothing
// ALSO: --contention=no
// ALSO: --zeros=no
// ALSO: --defects=no
// ALSO: --defects=no --contention=no --zeros=no
#define _GNU_SOURCE
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <ucontext.h>

enum { kRounds = 20 };
static volatile int faults, wrong;

// RDI has the address to continue at, RBX counts the faults; RCX follows.
static void go_on(int signal, siginfo_t* info, void* context) {
    greg_t* registers = ((ucontext_t*)context)->uc_mcontext.gregs;
    if (registers[REG_RBX] != 5000 + faults % kRounds || registers[REG_RCX] != 2 * registers[REG_RBX]) ++wrong;
    ++faults;
    registers[REG_RIP] = registers[REG_RDI];
}

// The code behind the access overwrites everything that the access and the code before it wrote.
#define ROUNDS(null, access)                                                                              \
    for (long round = 0; round < kRounds; ++round)                                                        \
        __asm__ volatile("lea 1f(%%rip), %%rdi\n mov %[value], %%rbx\n lea (%%rbx,%%rbx), %%rcx\n" null   \
                         "\n" access "\n1: xor %%ebx, %%ebx\n xor %%ecx, %%ecx\n xor %%eax, %%eax\n"     \
                         "pxor %%xmm0, %%xmm0\n"                                                          \
                         :                                                                                \
                         : [value] "r"(5000 + round), [zero] "r"(nowhere)                                 \
                         : "rax", "rbx", "rcx", "rdi", "rsi", "xmm0", "cc", "memory")
#define KNOWN "mov $0x10000000, %%esi"
#define UNKNOWN "mov %[zero], %%rsi"
#define BOTH(access)       \
    ROUNDS(KNOWN, access); \
    ROUNDS(UNKNOWN, access)

static void* work(void* nothing) {
    char* volatile page = (char*)0x10000000;
    char* nowhere = page;
    BOTH("movl (%%rsi), %%eax");
    BOTH("movzbl 3(%%rsi), %%eax");
    BOTH("movq 8(%%rsi), %%rax\n add $1, %%rax");
    BOTH("movdqu 16(%%rsi), %%xmm0");
    BOTH("movl $1, (%%rsi)");
    BOTH("addl $1, 4(%%rsi)");
    BOTH("lock addl $1, 4(%%rsi)");
    return nothing;
}

int main(void) {
    if (mmap((void*)0x10000000, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) == MAP_FAILED) return 3;
    struct sigaction action;
    memset(&action, 0, sizeof action);
    action.sa_sigaction = go_on;
    action.sa_flags = SA_SIGINFO;
    sigaction(SIGSEGV, &action, 0);
    work(0);
    pthread_t thread;
    pthread_create(&thread, 0, work, 0);
    pthread_join(thread, 0);
    work(0);
    return faults != 3 * 14 * kRounds ? 1 : wrong != 0 ? 2 : 0;
}
