// SPDX-License-Identifier: GPL-2.0-or-later
// PROVES: loads and stores of 2, 4 and 8 bytes at every offset inside a block are fine.
// EXPECT: nothing
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include "case.h"

int main(void) {
    char* p = HIDE((char*)malloc(67));
    for (int i = 0; i < 67; i++) ((volatile char*)p)[i] = (char)i;
    uint64_t sum = 0;
    for (int i = 0; i + 2 <= 67; i++) sum += *(volatile uint16_t*)(p + i);
    for (int i = 0; i + 4 <= 67; i++) sum += *(volatile uint32_t*)(p + i);
    for (int i = 0; i + 8 <= 67; i++) sum += *(volatile uint64_t*)(p + i);
    for (int i = 0; i + 2 <= 67; i++) *(volatile uint16_t*)(p + i) = (uint16_t)sum;
    for (int i = 0; i + 4 <= 67; i++) *(volatile uint32_t*)(p + i) = (uint32_t)sum;
    for (int i = 0; i + 8 <= 67; i++) *(volatile uint64_t*)(p + i) = sum;
    BRANCH_ON(sum == 3);
    free(p);
    return 0;
}
