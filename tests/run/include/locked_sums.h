// SPDX-License-Identifier: GPL-2.0-or-later
//
// The rest of a case of one lock: in each of ROUNDS turns a thread of THREADS adds COUNT numbers of its own to the sums
// in total_of, after take() and before give(). The case defines these three.
#pragma once

#include "workers.h"

static LINE_ALIGNED char end[LINE];

static void work(int index) {
    int own[COUNT];
    for (int round = 0; round < ROUNDS; ++round) {
        for (int i = 0; i < COUNT; ++i) STORE(own[i], i ^ round ^ index);
        take();
        for (int i = 0; i < COUNT; ++i) STORE(total_of[i % 8], LOAD(total_of[i % 8]) + LOAD(own[i]));
        give();
    }
}

int main(void) {
    NEED_TRUE(end[0] == 0);
    run_together(THREADS, work);
    return 0;
}
