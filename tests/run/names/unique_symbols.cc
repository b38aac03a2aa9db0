// SPDX-License-Identifier: GPL-2.0-or-later
// PROVES: inline variables and static members of templates, whose symbols are unique ones, have their names
// COMPILE: gcc clang -O0 -O2 -std=c++17 -pthread
// SET: COUNT=20000
// COUNTS: modelled slots false>=2*COUNT
// COUNTS: modelled counters false>=2*COUNT
// COUNTS: modelled plain false>=2*COUNT
// XML has round brackets, because readers cut texts at escaped ones.
// SHARING: FalseSharing names="slots counters plain" text="Pool.int.::slots"
#include "workers.h"

template <class T>
struct Pool {
    LINE_ALIGNED static long slots[8];
};
template <class T>
LINE_ALIGNED long Pool<T>::slots[8];
LINE_ALIGNED inline long counters[8];
LINE_ALIGNED static long plain[8];

static void work(int index) {
    for (int i = 0; i < COUNT; ++i) {
        INCREMENT(Pool<int>::slots[index]);
        INCREMENT(counters[index]);
        INCREMENT(plain[index]);
    }
}

int main() { run_together(4, work); }
