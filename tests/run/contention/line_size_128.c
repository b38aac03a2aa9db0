// SPDX-License-Identifier: GPL-2.0-or-later
// PROVES: with --line-size=128 neighbouring lines of 64 bytes are one line
// COMPILE: gcc -O0 -O2 -pthread
// SET: COUNT=20000 OFFSET=64
// SET: COUNT=7000 OFFSET=100
// ALSO: --line-size=128
// ALSO: --line-size=256
// ALSO: --line-size=32
// COUNTS: modelled area first=0 coherence=0 invalidations=0 when=!line-size
// COUNTS: modelled area first=0 coherence=0 invalidations=0 when=line-size=32
// COUNTS: modelled area misses=2*COUNT~3% invalidations=2*COUNT~3% when=line-size=128
// COUNTS: modelled area misses=2*COUNT~3% invalidations=2*COUNT~3% when=line-size=256
// SHARING: FalseSharing names="area" text="128" when=line-size=128
// SHARING: FalseSharing names="area" text="256" when=line-size=256
#include "workers.h"

static __attribute__((aligned(256))) unsigned char area[256];

static void work(int index) {
    int* mine = (int*)&area[index * OFFSET];
    for (int i = 0; i < COUNT; ++i) INCREMENT(*mine);
}

int main(void) {
    run_together(2, work);
    return 0;
}
