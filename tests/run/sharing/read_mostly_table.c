// SPDX-License-Identifier: GPL-2.0-or-later
// PROVES: a table that all threads read and one thread changes now and then gives no finding
// COMPILE: gcc -O0 -O2 -pthread
// SET: READERS=3 READS=60000 GAP=6000
// SET: READERS=6 READS=20000 GAP=9000
// ALSO: --defects=no
// COUNTS: modelled table events<=17*(READERS+1)+(READERS+2)*(READS//GAP*2)
// EXPECT: nothing
#include "workers.h"

static LINE_ALIGNED int table[256];

static void work(int index) {
    unsigned sum = 0;
    if (index == 0) {
        for (int i = 0; i < READS / GAP * 2; ++i) {
            pass_time(GAP * 3);
            STORE(table[i * 17 % 256], i);
        }
        return;
    }
    for (int i = 0; i < READS; ++i) sum += LOAD(table[(sum + i) % 256]);
    ESCAPE(sum);
}

int main(void) {
    run_together(READERS + 1, work);
    return 0;
}
