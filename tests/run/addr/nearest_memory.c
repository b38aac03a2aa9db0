// SPDX-License-Identifier: GPL-2.0-or-later
// PROVES: a wild pointer's report names the nearest block or mapped file, and how far from it the pointer is.
// EXPECT-EXIT: 0
#define _GNU_SOURCE
#include <setjmp.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include "case.h"

static sigjmp_buf before;
static void go_on(int signal) { siglongjmp(before, signal); }

int main(void) {
    struct sigaction action;
    memset(&action, 0, sizeof action);
    action.sa_handler = go_on;
    action.sa_flags = SA_NODEFER;
    sigaction(SIGSEGV, &action, NULL);
    /* A mapping of this file amid 32 MB where nothing else is. */
    char path[4096];
    const ssize_t length = readlink("/proc/self/exe", path, sizeof path - 1);
    if (length <= 0) return 1;
    path[length] = '\0';
    char* room = mmap(NULL, 32 << 20, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    char* page = HIDE(room + (16 << 20));
    munmap(room, 32 << 20);
    extern int open(const char*, int, ...);
    if (mmap(page, 4096, PROT_READ, MAP_PRIVATE | MAP_FIXED, open(path, 0), 0) != page) return 1;
    if (!sigsetjmp(before, 1)) page[5000] = 1;  /* expect: InvalidWrite text="nearest memory is .*nearest_memory.*, 904 bytes below" */
    if (!sigsetjmp(before, 1)) NEED(page[-100000]);  /* expect: InvalidRead text="nearest memory is .*, 100,000 bytes above" */
    /* Nearer than anything of the program's is only the core's own file. */
    const char* beside_the_core = HIDE((char*)0x57ffe000);
    if (!sigsetjmp(before, 1)) NEED(*beside_the_core);  /* expect: InvalidRead text="nearest memory is (?!.*libexec)" */
    return 0;
}
