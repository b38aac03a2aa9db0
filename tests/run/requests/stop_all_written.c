// SPDX-License-Identifier: GPL-2.0-or-later
// PROVES: while the instrumentation is stopped nothing is reported, not even by system calls and leak checks, and
// data written meanwhile counts as written afterwards, in the heap, on the stack, in other memory and in registers.
// TOOL: memspy
// EXPECT: nothing
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <fcntl.h>
#include "case.h"
#include "memspy.h"

// A register that calls preserve.
#if defined(__x86_64__)
#define KEPT "r12"
#else
#define KEPT "x20"
#endif
enum { kWords = 16 };
static int copies[kWords];
static void** holder;

NOINLINE static int undefined_sum(int* p) {
    int sum = 0;
    for (int i = 0; i < kWords; i++) sum += p[i];
    return sum;
}

int main(void) {
    int* heap = HIDE((int*)malloc(kWords * sizeof(int)));
    int stack[kWords];
    // Undefined in all three places, and in a register.
    memcpy(stack, heap, sizeof stack);
    memcpy(copies, heap, sizeof copies);
    ESCAPE(stack);
    ESCAPE(copies);
    register int kept __asm__(KEPT) = undefined_sum(heap);
    __asm__ volatile("" : "+r"(kept));
    holder = HIDE((void**)malloc(4 * sizeof(void*)));

    MEMSPY_STOP_INSTRUMENTATION;
    for (int i = 0; i < kWords; i++) heap[i] = stack[i] = copies[i] = i;
    ESCAPE(heap);
    ESCAPE(stack);
    ESCAPE(copies);
    kept = (int)getpid();
    __asm__ volatile("" : "+r"(kept));
    int fd = open("/dev/null", O_WRONLY);
    if (write(fd, heap, sizeof stack) + write(fd, stack, sizeof stack) + write(fd, copies, sizeof copies) < 0) return 1;
    close(fd);
    // The only pointer to a block is in memory whose store was not seen.
    holder[1] = malloc(123);
    unsigned long lost, possible, reachable, suppressed;
    MEMSPY_DO_QUICK_LEAK_CHECK;
    MEMSPY_COUNT_LEAKS(lost, possible, reachable, suppressed);
    if (lost != 0) return 2;
    if (MEMSPY_CHECK_MEM_IS_DEFINED(heap, sizeof stack) != 0) return 3;
    MEMSPY_START_INSTRUMENTATION;

    BRANCH_ON(kept > 1);
    BRANCH_ON(undefined_sum(heap) == 3);
    BRANCH_ON(undefined_sum(stack) == 3);
    BRANCH_ON(undefined_sum(copies) == 3);
    free(holder[1]);
    free(holder);
    free(heap);
    return 0;
}
