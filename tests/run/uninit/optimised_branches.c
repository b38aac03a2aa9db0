// SPDX-License-Identifier: GPL-2.0-or-later
// PROVES: what optimisers make of branches that the program does not take is silent: an unset value that is selected
// by a condition which is false (csel, cmov), a loop that is split by an unset flag that no iteration looks at, and
// vectorised comparisons of a block's last elements that are unset and masked out. The same value, used, is reported.
// COMPILE: gcc clang -O0 -O1 -O2 -O3
#include <stdlib.h>
#include "case.h"

#define CHECK_THAT(condition) do { if (!(condition)) abort(); } while (0)

struct Result {
    int is_set;
    int value;
};

NOINLINE static void find(int wanted, struct Result* result) {
    result->is_set = wanted > 0;
    if (result->is_set) result->value = wanted;
}
NOINLINE static int selected(int wanted, int other) {
    struct Result result;
    find(wanted, &result);
    return result.is_set && result.value > other ? result.value : other;
}

NOINLINE static long split(const int* numbers, int count, const int* flag) {
    long sum = 0;
    for (int i = 0; i < count; ++i) {
        if (numbers[i] < 0 && *flag) sum += 3;
        sum += numbers[i];
    }
    return sum;
}

NOINLINE static int equal(const unsigned char* a, const unsigned char* b, const unsigned char* mask, int count) {
    int different = 0;
    for (int i = 0; i < count; ++i) different |= (a[i] ^ b[i]) & mask[i];
    return different == 0;
}

int main(void) {
    CHECK_THAT(selected(-1, 5) == 5);
    CHECK_THAT(selected(9, 5) == 9);

    int numbers[37];
    for (int i = 0; i < 37; ++i) numbers[i] = i;
    int* flag = HIDE((int*)malloc(sizeof *flag));  /* label: F */
    CHECK_THAT(split(numbers, 37, flag) == 36 * 37 / 2);

    enum { SIZE = 61, SET = 50 };
    unsigned char *a = malloc(SIZE), *b = malloc(SIZE), mask[SIZE];
    for (int i = 0; i < SIZE; ++i) mask[i] = i < SET ? 0xff : 0;
    for (int i = 0; i < SET; ++i) a[i] = b[i] = (unsigned char)i;
    CHECK_THAT(equal(HIDE(a), HIDE(b), mask, SIZE));

    CHECK_THAT(*flag != 1);  /* expect: UninitCondition origin=F */
    free(a);
    free(b);
    free(flag);
    return 0;
}
