// SPDX-License-Identifier: GPL-2.0-or-later
//
// PROVES: a check of a range with undefined bytes and an unmapped end reports both, and returns the first; a system
// PROVES: call reports the first
// ARGS: --leak-check=no
// COMPILE: gcc clang -O0
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <valgrind/memcheck.h>
#include "case.h"

int main(void) {
    char* a = HIDE((char*)malloc(8));  /* label: A */
    memset(a, 'x', 4);
    const unsigned long bad = VALGRIND_CHECK_MEM_IS_DEFINED(a, 9);  /* expect: ClientCheck text="[Uu]ninit" origin=A only=memspy */ /* expect: ClientCheck text="[Uu]naddress" only=memspy */ /* expect: ClientCheck count=2 only=memcheck */
    if (write(open("/dev/null", O_WRONLY), a, 9) != 9) return 1;    /* expect: SyscallParam */
    free(a);
    return bad == (unsigned long)a + 4 ? 0 : 2;
}
