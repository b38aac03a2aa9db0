// SPDX-License-Identifier: GPL-2.0-or-later
// PROVES: the type of vectors follows from the lanes that are used, and pairs and structures count by element
// ARGS: --zeros=all --contention=no
// ARCH: aarch64
// EXPECT: nothing
// COMPILE: gcc -O2 -gdwarf-4
// SET: N=100
// ZEROS: row words type=integer element=4 lanes=4 known=yes loads=N elements=4*N redmap=0,4*N,4*N,4*N
// ZEROS: row halves type=integer element=2 lanes=8 known=yes loads=N elements=8*N
// ZEROS: row floats type=float element=4 lanes=4 loads=N elements=4*N
// ZEROS: row doubles type=float element=8 lanes=2 loads=N elements=2*N
// ZEROS: row columns type=float element=4 loads=4*N elements=16*N
// ZEROS: row pair loads=2*N
// ZEROS: object table accessed=64
#include <arm_neon.h>
#include "loads.h"

static uint32_t table[16] __attribute__((aligned(64)));

int main(void) {
    for (int i = 0; i < 16; ++i) table[i] = i + 1;
    BARRIER();
    uint32x4_t words = vdupq_n_u32(0);
    uint16x8_t halves = vdupq_n_u16(0);
    float32x4_t floats = vdupq_n_f32(0), columns = floats;
    float64x2_t doubles = vdupq_n_f64(0);
    for (int i = 0; i < N; ++i) {
        BARRIER();
        words = vaddq_u32(words, vld1q_u32(table)); /* label: words */
        BARRIER();
        halves = vaddq_u16(halves, vld1q_u16((uint16_t*)table)); /* label: halves */
        BARRIER();
        floats = vaddq_f32(floats, vld1q_f32((float*)table)); /* label: floats */
        BARRIER();
        doubles = vaddq_f64(doubles, vld1q_f64((double*)table)); /* label: doubles */
        BARRIER();
        float32x4x4_t four = vld4q_f32((float*)table); /* label: columns */
        columns = vaddq_f32(vaddq_f32(columns, four.val[0]), vaddq_f32(four.val[1], four.val[2]));
        columns = vaddq_f32(columns, four.val[3]);
        __asm__ volatile("ldp x9, x10, [%0]" : : "r"(table) : "x9", "x10", "memory"); /* label: pair */
    }
    USE(vgetq_lane_u32(words, 1) + vgetq_lane_u16(halves, 2));
    USE(vgetq_lane_f32(floats, 1) + vgetq_lane_f32(columns, 1) + vgetq_lane_f64(doubles, 1));
    return 0;
}
