// SPDX-License-Identifier: GPL-2.0-or-later
// PROVES: a block to which only the kernel points, as to the alternate signal stack, is not lost; once the
// PROVES: kernel has another stack, it is.
// ARGS: --show-leak-kinds=all
#include <signal.h>
#include <stdlib.h>
#include "case.h"

NOINLINE static void give_lost(void) {
    stack_t stack = {malloc(48 << 10), 0, 48 << 10};  /* leak: definite bytes=49152 blocks=1 */
    sigaltstack(&stack, NULL);
}
NOINLINE static void give_kept(void) {
    stack_t stack = {malloc(64 << 10), 0, 64 << 10};  /* leak: reachable bytes=65536 blocks=1 */
    sigaltstack(&stack, NULL);
}
NOINLINE static void wash(void) {
    volatile char area[8192];
    for (int i = 0; i < 8192; i++) area[i] = 0;
}

int main(void) {
    give_lost();
    give_kept();
    wash();
    return 0;
}
