// SPDX-License-Identifier: GPL-2.0-or-later
// PROVES: a call of what is no code is one InvalidJump with what stands there and the line of the call, and the program's
// handler sees the signal as natively: blocks, freed ones and what is beside them, variables, constants, pages that were
// mapped or have no code, addresses that are none. Handled jumps to pages without any permission are no errors.
// COMPILE: gcc clang -O0 -O2 -Wl,-z,separate-code
// TIMEOUT: 60
#define _GNU_SOURCE
#include <setjmp.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <ucontext.h>
#include <unistd.h>
#include "case.h"

#define MAPPED SEGV_ACCERR
#define UNMAPPED SEGV_MAPERR
#define NO_ADDRESS 128

static sigjmp_buf before;
static void* volatile seen;
static volatile int code_seen, was_fetch;
static void go_on(int signal, siginfo_t* info, void* context) {
    seen = info->si_addr;
    code_seen = info->si_code;
#ifdef __x86_64__
    const greg_t* words = ((ucontext_t*)context)->uc_mcontext.gregs;
    was_fetch = words[REG_TRAPNO] == 13 ? words[REG_ERR] == 0 : words[REG_TRAPNO] == 14 && (words[REG_ERR] & ~1) == 20;
#else
    (void)context;
    was_fetch = 1;
#endif
    siglongjmp(before, signal);
}
typedef void function(void);
// The line as an operand keeps the compiler from making one call of two.
#define LINE() __asm__ volatile("" : : "i"(__LINE__) : "memory")
#define CALL(place) if (!sigsetjmp(before, 1)) { HIDE((function*)(uintptr_t)(place))(); LINE(); _Exit(9); }
#define SAW(address, code) do { if (seen != (void*)(uintptr_t)(address) || code_seen != (code) || !was_fetch) _Exit(8); } while (0)

static char variable[64] = "data";
static const char constant[64] = "constant";

int main(void) {
    struct sigaction action;
    memset(&action, 0, sizeof action);
    action.sa_sigaction = go_on;
    action.sa_flags = SA_SIGINFO;
    sigaction(SIGSEGV, &action, NULL);

    unsigned char* block = HIDE((unsigned char*)calloc(1, 64));  /* label: A */
    CALL(block);  /* expect: InvalidJump alloc=A text="0 bytes inside a block of size 64 alloc" */
    SAW(block, MAPPED);
    CALL(block + 7);  /* expect: InvalidJump alloc=A text="7 bytes inside a block of size 64 alloc" */
    SAW(block + 7, MAPPED);
    CALL(block + 64);  /* expect: InvalidJump alloc=A text="0 bytes after a block of size 64 alloc" */
    CALL(block - 1);  /* expect: InvalidJump alloc=A text="1 bytes before a block of size 64 alloc" */
    block[0] = 0xc3;  // return
    free(block);  /* label: F */
    CALL(block);  /* expect: InvalidJump alloc=A free=F text="use-after-free" */
    SAW(block, MAPPED);

    char local[64];
    ESCAPE(local);
    CALL(local);  /* expect: InvalidJump text="on thread 1's stack" */
    SAW(local, MAPPED);
    CALL(variable);  /* expect: InvalidJump text="data symbol .variable" */
    CALL(constant);  /* expect: InvalidJump */
    SAW(constant, MAPPED);

    const size_t page = (size_t)sysconf(_SC_PAGESIZE);
    char* mapped = HIDE((char*)mmap(NULL, 2 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
    CALL(mapped + 1024);  /* expect: InvalidJump text="anonymous segment" */
    SAW(mapped + 1024, MAPPED);
    if (mprotect(mapped, page, PROT_NONE)) return 1;
    CALL(mapped);
    SAW(mapped, MAPPED);
    if (munmap(mapped, 2 * page)) return 2;
    CALL(mapped);  /* expect: InvalidJump text="is not stack'd, malloc'd" */
    SAW(mapped, UNMAPPED);
    CALL(0);  /* expect: InvalidJump text="Address 0x0 is not" */
    SAW(0, UNMAPPED);
    CALL(0x40);  /* expect: InvalidJump text="Address 0x40 is not" */
    SAW(0x40, UNMAPPED);
#ifdef __x86_64__
    CALL(0x4141414141414141);  /* expect: InvalidJump text="Address 0x4141414141414141 is not" only=x86_64 */
    SAW(0, NO_ADDRESS);
#endif
    return 0;
}
