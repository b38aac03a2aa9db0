// SPDX-License-Identifier: GPL-2.0-or-later
//
// Fills a block of the given number of megabytes, and loads all of it.
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char** argv) {
    const size_t count = (argc > 1 ? (size_t)atoi(argv[1]) : 1) * 1024 * 1024 / sizeof(uint64_t);
    uint64_t* words = malloc(count * sizeof *words);
    uint64_t sum = 0;
    for (size_t i = 0; i < count; ++i) words[i] = i;
    for (size_t i = 0; i < count; ++i) sum += words[i];
    printf("%d\n", (int)(sum % 1000));
    free(words);
    return 0;
}
