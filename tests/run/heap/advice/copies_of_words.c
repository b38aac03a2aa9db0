// SPDX-License-Identifier: GPL-2.0-or-later
// Each word is copied to have it in lower case, and the copy is freed at once.
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static unsigned hash_of(const char* word) {
    unsigned hash = 5381;
#ifdef FIXED
    char lower[64];
    strcpy(lower, word);
#else
    char* lower = strdup(word);  // ADVICE: temporary: keep one block
#endif
    for (char* c = lower; *c; ++c) *c = (char)tolower(*c);
    for (const char* c = lower; *c; ++c) hash = hash * 33 + (unsigned char)*c;
#ifndef FIXED
    free(lower);
#endif
    return hash;
}

int main(void) {
    static const char* const words[] = {"Heap", "TIME", "Profile", "allocation", "Block"};
    unsigned sum = 0;
    for (int i = 0; i < 5000; ++i) sum += hash_of(words[i % 5]);
    printf("%u\n", sum);
}
