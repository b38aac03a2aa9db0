// SPDX-License-Identifier: GPL-2.0-or-later
// PROVES: a negative length of a function that copies or fills is one report at the caller's line, and the fault keeps
// the caller's frame; lengths without bound that search functions may have are none; read and recv have one report.
// COMPILE: gcc -O0 -O2 -fno-builtin
#define _GNU_SOURCE
#include <setjmp.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>
#include <wchar.h>

#include "case.h"

static sigjmp_buf before;
static volatile int count;
static void go_on(int signal) {
    ++count;
    siglongjmp(before, signal);
}
#define TRY(...) do { if (!sigsetjmp(before, 1)) { __VA_ARGS__; _Exit(9); } } while (0)

int main(void) {
    signal(SIGSEGV, go_on);
    char from[100], to[100];
    wchar_t wide_from[20], wide_to[20];
    memset(from, 'A', sizeof from);
    from[99] = 0;
    wmemset(wide_from, L'A', 20);
    const size_t less = (size_t)HIDE((char*)-1), room = less - 7, huge = (size_t)HIDE((char*)((size_t)1 << 50));
    TRY(memcpy(to, from, less));  /* expect: FishyValue text="'size' of function memcpy .*: -1" */
    TRY(memcpy(from + 4, from, room));  /* expect: FishyValue text="memcpy .*: -8" */
    TRY(memmove(from, from + 4, less));  /* expect: FishyValue text="memmove" */
    TRY(memmove(from + 4, from, huge));  /* expect: FishyValue text="memmove .*: 1125899906842624" */
    TRY(mempcpy(to, from, less));  /* expect: FishyValue text="mempcpy" */
    TRY(memset(to, 0, less));  /* expect: FishyValue text="memset" */
    TRY(strncpy(to, from, less));  /* expect: FishyValue text="strncpy" */
    TRY(stpncpy(to, from, less));  /* expect: FishyValue text="stpncpy" */
    TRY(wmemcpy(wide_to, wide_from, less));  /* expect: FishyValue text="wmemcpy" */
    TRY(wmemset(wide_to, 0, less));  /* expect: FishyValue text="wmemset" */
    if (count != 10) return count;

    BRANCH_ON(memchr(from, 0, less) == from + 99);
    BRANCH_ON(strnlen(from, less) == 99);
    BRANCH_ON(strncmp(from, from, less) == 0);
    to[0] = 0;
    BRANCH_ON(strncat(to, from, less) == to);

    int pair[2];
    if (socketpair(AF_UNIX, SOCK_STREAM, 0, pair) != 0) return 1;
    char* block = malloc(16);  /* label: B */
    BRANCH_ON(read(pair[0], block, less) == -1);  /* expect: InvalidWrite alloc=B text="read" */
    free(block);
    return 0;
}
