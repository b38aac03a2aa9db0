// SPDX-License-Identifier: GPL-2.0-or-later
// PROVES: sixty instructions in a row that load 32 bytes each are more than one translation
// ARGS: --zeros=all
// EXPECT: nothing
// ARCH: x86_64
// NEEDS: avx2
// COMPILE: gcc -O1 -mavx2
// ZEROS: row floats elements=40000
// ZEROS: row shorts elements=80000
// ZEROS: object data accessed=3200
// ALSO: --waste=yes --locality=exact A=1
#include "loads.h"

static struct {
    _Alignas(32) uint8_t bytes[3200];
} data;

int main(void) {
    for (unsigned i = 0; i < sizeof data.bytes; ++i) data.bytes[i] = (uint8_t)(i % 250 + 1);
    for (int i = 0; i < 50; ++i) {
        __asm__ volatile(".set at, 0\n.rept 100\n vaddps at(%0), %%ymm0, %%ymm0\n .set at, at + 32\n.endr" : : "r"(&data) : "memory", "xmm0"); /* label: floats */
        __asm__ volatile(".set at, 0\n.rept 100\n vpaddw at(%0), %%ymm0, %%ymm0\n .set at, at + 32\n.endr" : : "r"(&data) : "memory", "xmm0"); /* label: shorts */
    }
    return 0;
}
