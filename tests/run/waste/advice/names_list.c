// SPDX-License-Identifier: GPL-2.0-or-later
// Wasteful: names are looked for by comparing with each, from the front of a list. FIXED: a table by hash.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { kNames = 300 };
struct Name {
    struct Name *next, *same_hash;
    int value;
    char text[24];
};
static struct Name *names, *table[1024];

static unsigned hash_of(const char *text) {
    unsigned hash = 5381;
    while (*text)
        hash = hash * 33 + (unsigned char)*text++;
    return hash % 1024;
}

__attribute__((noinline)) static int value_of(const char *text) {
#ifdef FIXED
    for (const struct Name *n = table[hash_of(text)]; n; n = n->same_hash)
#else
    for (const struct Name *n = names; n; n = n->next) // WASTE: search
#endif
        if (strcmp(n->text, text) == 0)
            return n->value;
    return -1;
}

int main(int argc, char **argv) {
    const int lookups = argc > 1 ? atoi(argv[1]) : 400;
    for (int i = 0; i < kNames; ++i) {
        struct Name *n = malloc(sizeof *n);
        n->value = i;
        snprintf(n->text, sizeof n->text, "variable_%d", i);
        n->next = names;
        names = n;
        struct Name **head = &table[hash_of(n->text)];
        n->same_hash = *head;
        *head = n;
    }
    long sum = 0;
    for (int i = 0; i < lookups; ++i) {
        char text[24];
        snprintf(text, sizeof text, "variable_%d", i * 17 % kNames);
        sum += value_of(text);
    }
    printf("%ld\n", sum);
    return 0;
}
