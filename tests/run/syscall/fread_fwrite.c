// SPDX-License-Identifier: GPL-2.0-or-later
// PROVES: fwrite of a struct with undefined bytes is reported when the buffer is flushed.
#include <stdio.h>
#include <stdlib.h>
#include "case.h"

int main(void) {
    FILE* out = fopen("/dev/null", "w");
    int* p = HIDE((int*)malloc(4000));  /* label: A */
    for (int i = 0; i < 1000; i++) if (i != 500) p[i] = i;
    ESCAPE(p);
    fwrite(p, 4, 1000, out);
    fflush(out);  /* expect: SyscallParam text="write\(buf\)" */
    fclose(out);
    free(p);
    return 0;
}
