// SPDX-License-Identifier: GPL-2.0-or-later
// Answers are remembered, and each question is another one.
#include <stdio.h>
#include <stdlib.h>

struct Answer {
    struct Answer* next;
    int question;
    double values[6];
};

static double ask(struct Answer** known, int question) {
    for (struct Answer* answer = *known; answer != NULL; answer = answer->next)
        if (answer->question == question) return answer->values[5];
    struct Answer* answer = malloc(sizeof *answer);  // ADVICE: leak: free what
    answer->question = question;
    answer->values[0] = question;
    for (int i = 1; i < 6; ++i) answer->values[i] = answer->values[i - 1] * .5 + 1;
    const double last = answer->values[5];
#ifdef FIXED
    free(*known);
    answer->next = NULL;
    *known = answer;
#else
    answer->next = *known;
    *known = answer;
#endif
    return last;
}

int main(void) {
    struct Answer* known = NULL;
    double sum = 0;
    for (int i = 0; i < 600; ++i) {
        for (int j = 0; j < 600 - i; ++j) sum += j;
        sum += ask(&known, i);
    }
    printf("%g\n", sum);
}
