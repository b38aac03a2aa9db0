/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * PROVES: memspy.h compiles as C89 with GNU extensions, every request can be made of a program that runs
 * natively, none has an effect there, and each gives the value that the header promises; the numbers that are
 * compiled into users' programs are the frozen ones.
 */
#include "memspy.h"

#define EXPECT(condition)    \
    do {                     \
        if (!(condition)) {  \
            return __LINE__; \
        }                    \
    } while (0)

int main(void) {
    char memory[16] = "unchanged";
    unsigned long lost = 7, possible = 7, reachable = 7;
    int suppressed = 7;

    EXPECT(MEMSPY_REQ_MAKE_MEM_NOACCESS == 0x4d530000);
    EXPECT(MEMSPY_REQ_MAKE_MEM_UNDEFINED == 0x4d530001);
    EXPECT(MEMSPY_REQ_MAKE_MEM_DEFINED == 0x4d530002);
    EXPECT(MEMSPY_REQ_MAKE_MEM_DEFINED_IF_ADDRESSABLE == 0x4d530003);
    EXPECT(MEMSPY_REQ_CHECK_MEM_IS_ADDRESSABLE == 0x4d530004);
    EXPECT(MEMSPY_REQ_CHECK_MEM_IS_DEFINED == 0x4d530005);
    EXPECT(MEMSPY_REQ_DO_LEAK_CHECK == 0x4d530006);
    EXPECT(MEMSPY_REQ_COUNT_LEAKS == 0x4d530007);
    EXPECT(MEMSPY_REQ_COUNT_LEAK_BLOCKS == 0x4d530008);
    EXPECT(MEMSPY_REQ_START_INSTRUMENTATION == 0x4d530009);
    EXPECT(MEMSPY_REQ_STOP_INSTRUMENTATION == 0x4d53000a);
    EXPECT(MEMSPY_REQ_RECORD_OVERLAP == 0x4d530100);

    EXPECT(MEMSPY_MAKE_MEM_NOACCESS(memory, sizeof memory) == 0);
    EXPECT(MEMSPY_MAKE_MEM_UNDEFINED(memory, sizeof memory) == 0);
    EXPECT(MEMSPY_MAKE_MEM_DEFINED(memory, sizeof memory) == 0);
    EXPECT(MEMSPY_MAKE_MEM_DEFINED_IF_ADDRESSABLE(memory, sizeof memory) == 0);
    EXPECT(MEMSPY_CHECK_MEM_IS_ADDRESSABLE(memory, sizeof memory) == 0);
    EXPECT(MEMSPY_CHECK_MEM_IS_DEFINED(memory, sizeof memory) == 0);
    EXPECT(MEMSPY_CHECK_VALUE_IS_DEFINED(memory[3]) == 0);
    MEMSPY_STOP_INSTRUMENTATION;
    MEMSPY_START_INSTRUMENTATION;
    MEMSPY_DO_LEAK_CHECK;
    MEMSPY_DO_ADDED_LEAK_CHECK;
    MEMSPY_DO_CHANGED_LEAK_CHECK;
    MEMSPY_DO_QUICK_LEAK_CHECK;
    MEMSPY_COUNT_LEAKS(lost, possible, reachable, suppressed);
    EXPECT(lost == 0 && possible == 0 && reachable == 0 && suppressed == 0);
    lost = suppressed = 7;
    MEMSPY_COUNT_LEAK_BLOCKS(lost, possible, reachable, suppressed);
    EXPECT(lost == 0 && possible == 0 && reachable == 0 && suppressed == 0);
    _MEMSPY_RECORD_OVERLAP("memcpy", memory, memory + 1, 4);
    EXPECT(memory[0] == 'u' && memory[8] == 'd' && memory[9] == 0);
    return 0;
}
