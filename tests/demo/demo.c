/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Four planted faults, a function each, in the order in which memspy reports them.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct Reading {
    int sensor;
    int value;
};

/* Writes one element past the end: the loop should stop before count. */
static void overflow(int count) {
    int* squares = malloc(count * sizeof *squares);
    for (int i = 0; i <= count; i++)
        squares[i] = i * i;
    printf("the last square is %d\n", squares[count - 1]);
    free(squares);
}

/* Reads a name after its owner is gone. */
static void use_after_free(void) {
    char* name = strdup("reading");
    char* alias = name + 2;
    free(name);
    printf("its third letter is %c\n", *alias);
}

/* Decides on a member that nobody has set. */
static void uninitialised_branch(void) {
    struct Reading* reading = malloc(sizeof *reading);
    reading->sensor = 7;
    if (reading->value > 100)
        printf("sensor %d is hot\n", reading->sensor);
    free(reading);
}

/* Forgets the only pointer to a block. */
static void leak(void) {
    char* report = malloc(1000);
    snprintf(report, 1000, "all is well");
    puts(report);
    report = NULL;
}

int main(void) {
    overflow(10);
    use_after_free();
    uninitialised_branch();
    leak();
    return 0;
}
