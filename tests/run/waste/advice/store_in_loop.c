// SPDX-License-Identifier: GPL-2.0-or-later
// Wasteful: the loop stores what was seen last each time, and only the last store is looked at. FIXED: stored behind the loop.
#include <stdio.h>
#include <stdlib.h>

struct State {
    long last, sum;
};

__attribute__((noinline)) static void scan(struct State *state, const long *values, int count, long *sum) {
#ifdef FIXED
    long last = state->last;
    for (int i = 0; i < count; ++i) {
        last = values[i];
        *sum += last & 7;
    }
    state->last = last;
#else
    for (int i = 0; i < count; ++i) {
        state->last = values[i]; // WASTE: store in a loop
        *sum += values[i] & 7;
    }
#endif
}

int main(int argc, char **argv) {
    const int rounds = argc > 1 ? atoi(argv[1]) : 60, count = 4000;
    long *values = malloc(sizeof *values * (size_t)count), sum = 0;
    struct State *state = calloc(1, sizeof *state);
    for (int r = 0; r < rounds; ++r) {
        for (int i = 0; i < count; ++i)
            values[i] = i * 31 + r;
        scan(state, values, count, &sum);
        state->sum += state->last;
    }
    printf("%ld %ld\n", sum, state->sum);
    free(values);
    free(state);
    return 0;
}
