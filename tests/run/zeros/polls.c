// SPDX-License-Identifier: GPL-2.0-or-later
// PROVES: what a thread loads while it waits for another is no load of the program; what it loads in a loop of work is
// ARGS: --zeros=all --contention=no
// EXPECT: nothing
// COMPILE: gcc clang -O0 -O2 -pthread
// SET: N=300000
// ALSO: --contention=yes
// ZEROS: row look loads=0
// ZEROS: row work loads=N
#include <stdatomic.h>

#include "loads.h"

static atomic_int done;
static int64_t table[N];

static void take_part(int index) {
    if (index == 0) {
        while (!atomic_load_explicit(&done, memory_order_acquire)) {} /* label: look */
        return;
    }
    int64_t sum = 0;
    for (int i = 0; i < N; ++i) sum += LOAD(table[i]); /* label: work */
    USE(sum);
    for (int i = 0; i < 3 * N; ++i) STORE(table[i % N], i);
    atomic_store(&done, 1);
}

int main(void) {
    run_threads(2, take_part);
    return 0;
}
