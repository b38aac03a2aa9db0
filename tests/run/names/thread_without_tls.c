// SPDX-License-Identifier: GPL-2.0-or-later
// PROVES: what lies around the thread pointer of a runtime that has no thread-local storage, as Go's has none, is what it is;
// PROVES: neither is what stands below a stack that was made amid a mapping that thread's stack
// ARCH: x86_64
// COMPILE: gcc clang -O0 -O2 -pthread
// SET: COUNT=20000
// SHARING: FalseSharing names="machine"
// SHARING: FalseSharing names="mapping"
#define _GNU_SOURCE
#include <linux/futex.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "workers.h"

// The thread pointer points to `own`, which does not hold that address.
static LINE_ALIGNED struct {
    long before[8], own[8], behind[8];
} machine;
enum { kMapped = 1 << 20, kStack = 1 << 16 };
static long* mapping;
static volatile int alive = 1;

static void add(int index) {
    for (int i = 0; i < COUNT; ++i) {
        INCREMENT(machine.behind[index]);
        INCREMENT(mapping[index]);
    }
}

static int run(void* unused) {
    add(0);
    return unused != NULL;
}

int main(void) {
    mapping = mmap(NULL, kMapped, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    NEED_TRUE(mapping != MAP_FAILED);
    char* const stack_end = (char*)mapping + kMapped / 2;
    const int id = clone(run, stack_end,
                         CLONE_VM | CLONE_FS | CLONE_FILES | CLONE_SIGHAND | CLONE_THREAD | CLONE_SYSVSEM | CLONE_SETTLS |
                             CLONE_CHILD_CLEARTID,
                         NULL, NULL, machine.own, &alive);
    NEED_TRUE(id > 0);
    add(1);
    while (alive != 0) syscall(SYS_futex, &alive, FUTEX_WAIT, 1, NULL, NULL, 0);
    return 0;
}
