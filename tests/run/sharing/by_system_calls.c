// SPDX-License-Identifier: GPL-2.0-or-later
// PROVES: a line that only system calls store to is reported, although no code of the program takes part
// COMPILE: gcc -O0 -O2 -pthread
// SET: THREADS=3 CALLS=4000 LAST=0
// SET: THREADS=2 CALLS=4000 LAST=1
// COUNTS: modelled area misses=1000..THREADS*CALLS+THREADS invalidations=1000..THREADS*CALLS
// SHARING: FalseSharing names="area"
#include <fcntl.h>
#include <unistd.h>

#include "workers.h"

static LINE_ALIGNED char area[LINE];

static void work(int index) {
    const int zeros = open("/dev/zero", O_RDONLY);
    NEED_TRUE(zeros >= 0);
    for (int i = 0; i < CALLS; ++i) NEED_TRUE(read(zeros, area + 8 * index, 8) == 8);
    close(zeros);
}

int main(void) {
    run_together(THREADS, work);
    if (LAST) pthread_exit(NULL);  // as the last thread of the process: no thread is left when findings are reported
    return 0;
}
