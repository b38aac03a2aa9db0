// SPDX-License-Identifier: GPL-2.0-or-later
// PROVES: the XML of a program that is killed has all errors that were found before, and is well-formed.
// COMPILE: gcc clang -O0
// EXPECT-EXIT: -9
// STATUS: RUNNING
// PROFILES: 0
#include <stdlib.h>
#include <sys/resource.h>
#include <time.h>

#include "case.h"

int main(void) {
    char* volatile block = malloc(10);  /* label: A */
    block[10] = 1;  /* expect: InvalidWrite alloc=A */
    block[12] = 1;  /* expect: InvalidWrite alloc=A */
    // The kernel kills it: of a program that kills itself the core makes an end.
    const rlim_t seconds = (rlim_t)(clock() / CLOCKS_PER_SEC + 2);
    const struct rlimit limit = {seconds, seconds};
    if (setrlimit(RLIMIT_CPU, &limit) == 0)
        for (;;) BARRIER();
    return 0;
}
