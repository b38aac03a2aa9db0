// SPDX-License-Identifier: GPL-2.0-or-later
// A list of numbers gets room for one more each time.
#include <stdio.h>
#include <stdlib.h>

struct Numbers {
    int* all;
    size_t count, room;
};

static void append(struct Numbers* numbers, int number) {
#ifdef FIXED
    if (numbers->count == numbers->room) {
        numbers->room = numbers->room ? numbers->room * 2 : 16;
        numbers->all = realloc(numbers->all, numbers->room * sizeof *numbers->all);
    }
#else
    const size_t bytes = (numbers->count + 1) * sizeof *numbers->all;
    numbers->all = realloc(numbers->all, bytes);  // ADVICE: growth: double the size
#endif
    numbers->all[numbers->count++] = number;
}

int main(void) {
    struct Numbers numbers = {0};
    long sum = 0;
    for (int i = 0; i < 3000; ++i) append(&numbers, i * 7 % 1000);
    for (size_t i = 0; i < numbers.count; ++i) sum += numbers.all[i];
    printf("%ld\n", sum);
    free(numbers.all);
}
