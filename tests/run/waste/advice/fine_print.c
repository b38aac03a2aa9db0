// SPDX-License-Identifier: GPL-2.0-or-later
// Efficient: a picture is printed, letter by letter. What printf does to the stream and its lock is no text without a reader.
#include <stdio.h>

static unsigned char picture[120][100];

int main(void) {
    for (int i = 0; i < 120; ++i)
        for (int j = 0; j < 100; ++j)
            picture[i][j] = (unsigned char)(i * j);
    for (int i = 0; i < 120; ++i) {
        for (int j = 0; j < 100; ++j)
            printf("%02x", picture[i][j]);
        putchar('\n');
    }
    printf("%d rows\n", 120);
    return 0;
}
