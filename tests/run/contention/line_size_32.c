// SPDX-License-Identifier: GPL-2.0-or-later
// PROVES: --line-size=32 and 16 distinguish the halves and the quarters of a line
// COMPILE: gcc -O0 -O2 -pthread
// SET: COUNT=20000
// SET: COUNT=3000
// ALSO: --line-size=32
// ALSO: --line-size=16
// COUNTS: modelled area misses=3*COUNT~5% invalidations=3*COUNT~5% when=!line-size
// COUNTS: modelled area misses=2*COUNT~5% invalidations=2*COUNT~5% when=line-size=32
// COUNTS: modelled area first=0 coherence=0 invalidations=0 when=line-size=16
// SHARING: FalseSharing names="area" text="64" when=!line-size
// SHARING: FalseSharing names="area" text="32" when=line-size=32
#include "workers.h"

static LINE_ALIGNED unsigned char area[LINE];

static void work(int index) {
    int* mine = (int*)&area[index == 0 ? 0 : index == 1 ? 16 : 60];
    for (int i = 0; i < COUNT; ++i) INCREMENT(*mine);
}

int main(void) {
    run_together(3, work);
    return 0;
}
