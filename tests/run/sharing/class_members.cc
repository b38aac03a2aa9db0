// SPDX-License-Identifier: GPL-2.0-or-later
// PROVES: two members of one C++ object that belong to two threads are falsely shared, in static, heap and stack objects
// COMPILE: gcc clang -O0 -O2 -std=c++17 -pthread
// SET: COUNT=20000
// SET: COUNT=6000
// COUNTS: modelled statistics misses=1.6*COUNT..2.2*COUNT invalidations=1.6*COUNT..2.2*COUNT true<=20
// COUNTS: modelled heap:object misses=1.6*COUNT..2.2*COUNT invalidations=1.6*COUNT..2.2*COUNT true<=20
// SHARING: FalseSharing names="statistics" text="64" at="consumed produced"
// SHARING: FalseSharing alloc=object at="consumed produced"
// SHARING: anything
#include <initializer_list>

#include "workers.h"

class Statistics {
public:
    void count_consumed() { INCREMENT(consumed_); } /* label: consumed */
    void count_produced() { INCREMENT(produced_); } /* label: produced */
    long sum() const { return consumed_ + produced_; }

private:
    long name_ = 0;
    long consumed_ = 0;
    int flags_ = 0;
    int produced_ = 0;
};

alignas(64) Statistics statistics;
struct alignas(64) Aligned : Statistics {};
Aligned* on_heap;
Aligned* on_stack;

static void work(int index) {
    for (Statistics* s : {&statistics, static_cast<Statistics*>(on_heap), static_cast<Statistics*>(on_stack)})
        for (int i = 0; i < COUNT; ++i) {
            index ? s->count_consumed() : s->count_produced();
            pass_time(20);  // so that both turns take about the same time, however they are compiled
        }
}

int main() {
    Aligned local;
    on_heap = new Aligned; /* label: object */
    on_stack = &local;
    run_together(2, work);
    delete on_heap;
    return statistics.sum() != 2 * COUNT || local.sum() != 2 * COUNT;
}
