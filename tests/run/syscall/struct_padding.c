// SPDX-License-Identifier: GPL-2.0-or-later
// PROVES: a struct passed to a system call is checked member by member if its layout is known: an undefined member is
// reported.
#include <stdlib.h>
#include <time.h>
#include "case.h"

int main(void) {
    struct timespec* t = HIDE((struct timespec*)malloc(sizeof *t));  /* label: A */
    t->tv_sec = 0;
    ESCAPE(t);
    nanosleep(t, 0);  /* expect: SyscallParam origin=A */
    free(t);
    return 0;
}
