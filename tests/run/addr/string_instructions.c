// SPDX-License-Identifier: GPL-2.0-or-later
// PROVES: rep movsb and rep stosb that run over the end are reported once each, though they touch many bytes.
// ARCH: x86_64
#include <stdlib.h>
#include "case.h"

int main(void) {
    char* a = HIDE((char*)malloc(50));  /* label: A */
    char* b = HIDE((char*)malloc(100));
    void* to = a;
    unsigned long count = 50;
    __asm__ volatile("rep stosb" : "+D"(to), "+c"(count) : "a"(1) : "memory");
    to = a;
    count = 60;
    __asm__ volatile("rep stosb" : "+D"(to), "+c"(count) : "a"(1) : "memory");  /* expect: InvalidWrite alloc=A */
    to = b;
    const void* from = a;
    count = 60;
    __asm__ volatile("rep movsb" : "+D"(to), "+S"(from), "+c"(count) : : "memory");  /* expect: InvalidRead alloc=A */
    free(a);
    free(b);
    return 0;
}
