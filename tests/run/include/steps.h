// SPDX-License-Identifier: GPL-2.0-or-later
//
// Accesses of several threads to one line, in an order that barriers enforce:
//     STEPS_MAIN(threads, name of the line, {{thread, 'L'oad | 'S'tore | 'B'oth in one instruction, offset, bytes}, ...})
#pragma once

#include "workers.h"

struct Step {
    int thread;
    char what;
    int offset;
    int bytes;
};

#define STEPS_MAIN(threads, watched, ...) \
    static const struct Step steps[] = __VA_ARGS__; \
    LINE_ALIGNED unsigned char watched[LINE]; \
    LINE_ALIGNED pthread_barrier_t turn; \
    LINE_ALIGNED char after_turn[LINE]; \
    static void work(int index) { \
        for (size_t i = 0; i < sizeof steps / sizeof *steps; ++i) { \
            const struct Step step = steps[i]; \
            if (step.thread == index) access_once(watched + step.offset, step.what, step.bytes); \
            pthread_barrier_wait(&turn); \
        } \
    } \
    int main(void) { \
        NEED_TRUE(after_turn[0] == 0); \
        pthread_barrier_init(&turn, NULL, threads); \
        run_threads(threads, work); \
        return 0; \
    }

static inline void access_once(unsigned char* at, char what, int bytes) {
    if (what == 'L') {
        if (bytes == 1) (void)HIDE(*(volatile char*)at);
        if (bytes == 4) (void)HIDE(*(volatile int*)at);
        if (bytes == 8) (void)HIDE(*(volatile long*)at);
    } else if (what == 'S') {
        if (bytes == 1) *(volatile char*)at = 1;
        if (bytes == 4) *(volatile int*)at = 1;
        if (bytes == 8) *(volatile long*)at = 1;
    } else {
        if (bytes == 1) INCREMENT(*(char*)at);
        if (bytes == 4) INCREMENT(*(int*)at);
        if (bytes == 8) INCREMENT(*(long*)at);
    }
}
