// SPDX-License-Identifier: GPL-2.0-or-later
// PROVES: a return to an overwritten address, and virtual calls on an object whose table of functions is a block or that
// was deleted, are errors; the last jump ends the program as natively.
// COMPILE: gcc clang -O0
// ARCH: x86_64
// EXPECT-EXIT: -11
#include <cstdlib>
#include <csetjmp>
#include <csignal>
#include "case.h"

static sigjmp_buf before;
static void go_on(int signal) { siglongjmp(before, signal); }

struct Shape {
    virtual int sides() { return 0; }
    virtual ~Shape() {}
};
struct Square : Shape {
    int sides() override { return 4; }
};

// With a frame pointer the return address is above what it points to.
NOINLINE static void overwrite_return(void* to) { static_cast<void**>(__builtin_frame_address(0))[1] = to; }
// The overwritten address was the only trace of this one.
NOINLINE static void lose(void* to) {
    overwrite_return(to);
    BARRIER();
}

int main() {
    signal(SIGSEGV, go_on);
    void** table = static_cast<void**>(calloc(8, sizeof(void*)));  /* label: T */
    for (int i = 0; i < 8; ++i) table[i] = table;
    Shape* shape = new Square;  /* label: S */
    *reinterpret_cast<void***>(shape) = HIDE(table);
    if (!sigsetjmp(before, 1))
        shape->sides();  /* expect: InvalidJump alloc=T text="0 bytes inside a block of size 64" */
    ::operator delete(shape);  /* label: D */
    if (!sigsetjmp(before, 1))
        shape->sides();  /* expect: InvalidRead alloc=S free=D text="use-after-free" */ /* expect: InvalidJump alloc=T */
    signal(SIGSEGV, SIG_DFL);
    lose(table);  /* expect: InvalidJump alloc=T */
    return 0;
}
