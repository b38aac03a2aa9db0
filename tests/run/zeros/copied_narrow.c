// SPDX-License-Identifier: GPL-2.0-or-later
// PROVES: what memcpy copies in words of eight bytes keeps its own width: the upper bytes of ints that are copied and
// loaded are redundant, as if they had not been copied; lower zero bytes of ints are not, since they are loaded, too
// ARGS: --zeros=all --contention=no
// ALSO: --defects=no
// EXPECT: nothing
// COMPILE: gcc clang -O0 -O2
// SET: N=1000
// SET: N=333
// ZEROS: object source accessed=4*N redundant=3*N columns=4:1-3
// ZEROS: object inner accessed=4*N redundant=N columns=4:3-3
#include "loads.h"

static int32_t source[N] __attribute__((aligned(64)));
static int32_t inner[N] __attribute__((aligned(64)));
static int32_t target[N] __attribute__((aligned(64)));

int main(void) {
    int64_t sum = 0;
    for (int i = 0; i < N; ++i) {
        STORE(source[i], i % 255 + 1);
        STORE(inner[i], 0x10001 + (i % 100));
    }
    for (int i = 0; i < N; ++i) sum += 3 * LOAD(source[i]) + LOAD(inner[i]);
    memcpy(HIDE(target), HIDE(source), (size_t)HIDE(sizeof target));
    memcpy(HIDE(target), HIDE(inner), (size_t)HIDE(sizeof target));
    USE(sum);
    return 0;
}
