// SPDX-License-Identifier: GPL-2.0-or-later
// A lock beside data that is only read.
// EXPECT: - table '.'
#include "../../include/workers.h"
static LINE_ALIGNED struct {
    pthread_mutex_t lock;
    volatile long total;
#ifdef MENDED
    LINE_ALIGNED
#endif
    volatile long limit;
} table = {PTHREAD_MUTEX_INITIALIZER, 0, 1000000};

static void work(int index) {
    for (int i = 0; i < 3000; ++i) {
        long sum = 0;
        for (int k = 0; k < 20; ++k) {
            volatile int other = 0;
            for (int n = 0; n < 10; ++n) other += n;
            if (table.limit > k) sum += other;
        }
        pthread_mutex_lock(&table.lock);
        table.total += sum + index;
        pthread_mutex_unlock(&table.lock);
    }
}

int main(void) {
    run_together(4, work);
    return table.total > 0 ? 0 : 1;
}
