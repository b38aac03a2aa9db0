// SPDX-License-Identifier: GPL-2.0-or-later
// PROVES: a statically linked program has its defects reported as a dynamically linked one: of its malloc, of
// PROVES: string functions that it chooses by the processor, of its stack, with its leaks.
// COMPILE: gcc clang -O0 -O2 -static -fno-builtin
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "case.h"

NOINLINE static void lose(void) {
    char* lost = (char*)malloc(77);  /* leak: definite bytes=77 blocks=1 */
    ESCAPE(lost);
}
NOINLINE static void wash(void) {
    volatile char area[8192];
    for (int i = 0; i < 8192; i++) area[i] = 0;
}

int main(void) {
    char* text = (char*)malloc(10);  /* label: text */
    text[HIDE(10)] = 1;  /* expect: InvalidWrite alloc=text text="overflow by 1" */
    memset(text, 'x', 10);
    if (strlen(text) < HIDE(10u)) puts("short");  /* expect: InvalidRead alloc=text text="0 bytes after a block of size 10" */
    free(text);  /* label: freed */
    NEED(text[HIDE(3)]);  /* expect: InvalidRead alloc=text free=freed text="use-after-free" */
    free(text);  /* expect: InvalidFree alloc=text free=freed */
    int* number = (int*)malloc(sizeof *number);  /* label: number */
    if (*HIDE(number) == 3) puts("three");  /* expect: UninitCondition origin=number */
    number = (int*)realloc(number, 8000);
    void* aligned = NULL;
    if (posix_memalign(&aligned, 256, 100) != 0) return 1;  /* label: aligned */
    NEED(((char*)aligned)[HIDE(100)]);  /* expect: InvalidRead alloc=aligned */
    free(aligned);
    free(number);
    int local;
    if (*HIDE(&local) == 3) puts("three");  /* expect: UninitCondition text="stack allocation" */
    lose();
    wash();
    return 0;
}
