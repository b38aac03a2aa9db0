/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The program of docs/tutorial.md: four threads count how often each brightness occurs in a picture.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

enum { kThreads = 4, kPixels = 80000, kLevels = 16 };

struct Total {
    long dark;
    long bright;
};

static unsigned char picture[kPixels];
static struct Total totals[kThreads];

static void* count(void* argument) {
    struct Total* total = argument;
    int* levels = malloc(kLevels * sizeof *levels);
    for (int i = 0; i <= kLevels; i++)
        levels[i] = 0;
    for (int i = total - totals; i < kPixels; i += kThreads) {
        levels[picture[i] / kLevels]++;
        if (picture[i] < 128)
            total->dark++;
        else
            total->bright++;
    }
    return NULL;
}

int main(void) {
    pthread_t threads[kThreads];
    struct Total all = {0, 0};
    for (int i = 0; i < kPixels; i++)
        picture[i] = i * 7 % 251;
    for (int i = 0; i < kThreads; i++)
        pthread_create(&threads[i], NULL, count, &totals[i]);
    for (int i = 0; i < kThreads; i++) {
        pthread_join(threads[i], NULL);
        all.dark += totals[i].dark;
        all.bright += totals[i].bright;
    }
    printf("%ld dark, %ld bright\n", all.dark, all.bright);
    return 0;
}
