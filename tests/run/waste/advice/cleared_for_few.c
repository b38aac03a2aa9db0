// SPDX-License-Identifier: GPL-2.0-or-later
// Wasteful: a large buffer is cleared for each record, of which a few bytes are used. FIXED: only these are cleared.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct Record {
    int used;
    char text[8192];
};
static struct Record record;

__attribute__((noinline)) static int parse(struct Record *r, unsigned seed) {
#ifdef FIXED
    memset(r->text, 0, (size_t)r->used);
    r->used = 0;
#else
    memset(r, 0, sizeof *r); // WASTE: cleared
#endif
    const unsigned length = 5 + seed % 20;
    for (unsigned i = 0; i < length; ++i)
        r->text[i] = (char)('a' + (seed + i) % 26);
    r->used = (int)length;
    int sum = 0;
    for (const char *s = r->text; *s; ++s)
        sum += *s;
    return sum;
}

int main(int argc, char **argv) {
    const int rounds = argc > 1 ? atoi(argv[1]) : 400;
    long sum = 0;
    for (int i = 0; i < rounds; ++i)
        sum += parse(&record, (unsigned)i);
    printf("%ld\n", sum);
    return 0;
}
