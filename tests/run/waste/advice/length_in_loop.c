// SPDX-License-Identifier: GPL-2.0-or-later
// Wasteful: the length is found again for each character. FIXED: once.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char text[2000];

__attribute__((noinline)) static void shout(char *s) {
#ifdef FIXED
    const size_t length = strlen(s);
    for (size_t i = 0; i < length; ++i)
#else
    for (size_t i = 0; i < strlen(s); ++i) // WASTE: length
#endif
        if (s[i] >= 'a' && s[i] <= 'z')
            s[i] = (char)(s[i] - 'a' + 'A');
        else if (s[i] >= 'A' && s[i] <= 'Z')
            s[i] = (char)(s[i] - 'A' + 'a');
}

int main(int argc, char **argv) {
    const int rounds = argc > 1 ? atoi(argv[1]) : 2;
    for (int i = 0; i < 1000; ++i)
        text[i] = (char)('a' + i % 26);
    for (int i = 0; i < rounds; ++i)
        shout(text);
    printf("%.20s\n", text);
    return 0;
}
