// SPDX-License-Identifier: GPL-2.0-or-later
// PROVES: blocks whose stacks differ only in one caller, at the same depth of the stack, are told apart, however often
// each of these stacks comes, and in whatever order.
// ARGS: --leak-check=full
// COMPILE: gcc clang -O0 -O2 -fomit-frame-pointer -pthread
// ALSO: --num-callers=4
#define _GNU_SOURCE
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include "case.h"

enum { kRounds = 70 };

// The C library allocates, so that the first frame of the case's own is one of these. Each block has 33 bytes.
static char* written;
static int first(int i) { return asprintf(&written, "%032d", i) + 1; }        /* leak: definite bytes=462 blocks=14 */
static int second(int i) { return asprintf(&written, "%030d.1", i) - 1; }     /* leak: definite bytes=462 blocks=14 */
static int third(int i) { return asprintf(&written, "%028d.123", i) + 2; }    /* leak: definite bytes=462 blocks=14 */

// The calls must not become one.
#define APART(number) __asm__ volatile("" : : "i"(number))
static int in_two_lines(int i) {
    int sum = 0;
    if (i == 3) {
        sum += asprintf(&written, "%027d.1234", i);  /* leak: definite bytes=462 blocks=14 */
        APART(3);
    } else {
        sum += asprintf(&written, "%026d.12345", i); /* leak: definite bytes=462 blocks=14 */
        APART(4);
    }
    return sum;
}

static void* work(void* unused) {
    int (*const ways[])(int) = {first, second, third, in_two_lines, in_two_lines};
    int (*const volatile* const all)(int) = ways;
    int sum = 0;
    // Each way several times after itself, and after each other.
    for (int i = 0; i < kRounds; ++i) {
        const volatile int now = i;  // else a compiler makes two loops of this one
        const int way = now < kRounds / 2 ? now / 7 : now * 2 % 5;
        sum += all[way](way);
    }
    written = NULL;
    printf("%d\n", sum != 0);
    return unused;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, NULL, work, NULL);
    pthread_join(thread, NULL);
    return 0;
}
