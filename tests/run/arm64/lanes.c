// SPDX-License-Identifier: GPL-2.0-or-later
// PROVES: the bytes of a vector are undefined separately, whatever the lanes and the kind of load.
// ARCH: aarch64
#include <arm_neon.h>
#include "arm64.h"

int main(void) {
    unsigned char* p = HIDE((unsigned char*)malloc(64));  /* label: A */
    for (int i = 0; i < 64; i++) if (i != 5 && i != 42) ((volatile unsigned char*)p)[i] = (unsigned char)i;
    uint8x16_t bytes = vld1q_u8(p);
    BRANCH_ON(vgetq_lane_u8(bytes, 4) == 4);
    BRANCH_ON(vgetq_lane_u8(bytes, 5) == 5);  /* expect: UninitCondition origin=A */
    uint32x4_t words = vreinterpretq_u32_u8(bytes);
    BRANCH_ON(vgetq_lane_u32(words, 0) == 0x03020100);
    BRANCH_ON(vgetq_lane_u32(words, 1) == 0x07060504);  /* expect: UninitCondition origin=A */
    uint8x16x4_t columns = vld4q_u8(p);
    BRANCH_ON(vgetq_lane_u8(columns.val[2], 9) == 38);
    BRANCH_ON(vgetq_lane_u8(columns.val[2], 10) == 42);  /* expect: UninitCondition origin=A */
    uint8x16_t one = vld1q_lane_u8(p + 5, vdupq_n_u8(0), 7);
    BRANCH_ON(vgetq_lane_u8(one, 6) == 0);
    BRANCH_ON(vgetq_lane_u8(one, 7) == 0);  /* expect: UninitCondition origin=A */
    uint8x16_t all = vld1q_dup_u8(p + 42);
    BRANCH_ON(vgetq_lane_u8(all, 15) == 0);  /* expect: UninitCondition origin=A */
    free(p);
    return 0;
}
