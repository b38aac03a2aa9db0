// SPDX-License-Identifier: GPL-2.0-or-later
// PROVES: in coroutines on a heap block, a mapping and a static array, registered or not, whose stacks are switched by
// ucontext or by hand, frames that have returned are reported, and uninitialised values with their frame and variable.
// COMPILE: gcc clang -O0 -O2 -Wno-return-local-addr -Wno-return-stack-address -Wno-uninitialized -Wno-maybe-uninitialized
// COMPILE: gcc clang -O0 -O2 -DREGISTER -Wno-return-local-addr -Wno-return-stack-address -Wno-uninitialized -Wno-maybe-uninitialized
#include <stdlib.h>
#include <sys/mman.h>
#include <ucontext.h>
#include <valgrind/valgrind.h>

#include "case.h"
#include "switch.h"

enum { kBytes = 32768 };
static ucontext_t outer, inner;
static void *saved, *coroutine;

NOINLINE static int* dangling(void) {
    int numbers[400];
    ESCAPE(numbers);
    for (int i = 0; i < 400; ++i) numbers[i] = i;
    return HIDE(&numbers[0]);
}

#define BODY(name, leave)                                                                                   \
    NOINLINE static void name##_uses(void) {                                                                \
        int row[20];                                                                                        \
        ESCAPE(row);                                                                                        \
        BRANCH_ON(row[7] == 3);                                                                             \
    }                                                                                                       \
    static void name(void) {                                                                                \
        for (;;) {                                                                                          \
            name##_uses();                                                                                  \
            NEED(dangling()[3]);                                                                            \
            leave;                                                                                          \
        }                                                                                                   \
    }

BODY(on_heap, swapcontext(&inner, &outer))  /* expect: UninitCondition text="variable .row\[7\]" count=1 *//* expect: InvalidRead text="in a frame of dangling" only=x86_64 *//* expect: InvalidRead text="in a frame that has returned" only=aarch64 */
BODY(on_mapping, swapcontext(&inner, &outer))  /* expect: UninitCondition text="variable .row\[7\]" count=1 *//* expect: InvalidRead text="in a frame of dangling" only=x86_64 *//* expect: InvalidRead text="in a frame that has returned" only=aarch64 */
BODY(on_aligned, swapcontext(&inner, &outer))  /* expect: UninitCondition text="variable .row\[7\]" count=1 *//* expect: InvalidRead text="in a frame of dangling" only=x86_64 *//* expect: InvalidRead text="in a frame that has returned" only=aarch64 */
BODY(on_array, swapcontext(&inner, &outer))  /* expect: UninitCondition text="variable .row\[7\]" count=1 *//* expect: InvalidRead text="in a frame of dangling" only=x86_64 *//* expect: InvalidRead text="in a frame that has returned" only=aarch64 */
BODY(by_hand, switch_stack(&coroutine, saved))  /* expect: UninitCondition text="variable .row\[7\]" count=1 *//* expect: InvalidRead text="in a frame of dangling" only=x86_64 *//* expect: InvalidRead text="in a frame that has returned" only=aarch64 */

static void run(void (*body)(void), char* memory) {
#if defined(REGISTER)
    const unsigned id = VALGRIND_STACK_REGISTER(memory, memory + kBytes);
#endif
    getcontext(&inner);
    inner.uc_stack.ss_sp = memory;
    inner.uc_stack.ss_size = kBytes;
    makecontext(&inner, body, 0);
    for (int i = 0; i < 3; ++i) swapcontext(&outer, &inner);
#if defined(REGISTER)
    VALGRIND_STACK_DEREGISTER(id);
#endif
    for (int i = 0; i < kBytes; ++i) memory[i] = 1;  // its memory is data again
    for (int i = 0; i < kBytes; ++i) BRANCH_ON(memory[i] == 2);
}

int main(void) {
    static char array[kBytes];
    char* block = malloc(kBytes);
    char* mapping = mmap(0, kBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    run(on_heap, block);
    run(on_mapping, mapping);
    // Alone, and its end is that of a piece of shadow memory.
    enum { kAligned = 65536 };
    char* room = mmap(0, 3 * kAligned, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    char* aligned = (char*)(((unsigned long)room + kAligned) & -(unsigned long)kAligned);
    munmap(room, (unsigned long)(aligned - room));
    munmap(aligned + kAligned, (unsigned long)(room + 2 * kAligned - aligned));
    run(on_aligned, aligned + kAligned - kBytes);
    run(on_array, array);
    coroutine = new_coroutine(block + kBytes, by_hand);
    for (int i = 0; i < 3; ++i) switch_stack(&saved, coroutine);
    free(block);
    return 0;
}
