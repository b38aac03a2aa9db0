// SPDX-License-Identifier: GPL-2.0-or-later
//
// PROVES: instructions, floating operations and branches of known loops are counted exactly, on each machine
// COMPILE: gcc clang -O0 -O2
// ARGS: --mix=yes --contention=no --zeros=no --leak-check=no
// EXPECT: nothing
// MIX: f64_scalar f64=20000 f64-operations=20000 branches=10000 taken=9999 mispredicted<=40 multiplications=10000 divisions=0
// MIX: f32_scalar f32=20000 f32-operations=20000 f64-operations=0 divisions=10000 multiplications=0
// MIX: f64_two f64x2=20000 f64-operations=40000
// MIX: f32_four f32x4=20000 f32-operations=80000 multiplications=40000
// MIX: converted conversions=20000 f64-operations=0 f32-operations=0
// MIX: vectors vector=20000 f64-operations=0
// MIX: add_subtract f64x2=10000 f64-operations=20000 arch=x86_64
// MIX: x87 f64=10000 f64-operations=10000 arch=x86_64
// MIX: f32_two f32x2=10000 f32-operations=20000 arch=aarch64
// MIX: fused f64x2=10000 f64=10000 f64-operations=60000 arch=aarch64
// MIX: axpy f64-operations=20020 multiplications=10010 loaded-addresses=0 from-integers=0
// MIX: gathered f64-operations=10000 loaded-addresses>=9990 loaded-addresses<=10010 from-integers=0
// MIX: from_integers f64-operations=10000 from-integers=10000 loaded-addresses=0
// MIX: caller calls=10000
// MIX: called returns=10000
// MIX: drawn mispredicted>=5000 mispredicted<=40000
// MIX: never mispredicted<=200
//
// Each kernel is a function of its own, in which nothing else runs. mix.py has more sums of them.
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#if defined(__clang__)
#define APART __attribute__((noinline))
#else
#define APART __attribute__((noipa))
#endif
#define KERNEL APART static void
enum { kTurns = 10000, kWords = 1 << 20, kBits = 20000 };

// A loop of kTurns times `body`, a subtraction and a branch.
#if defined(__x86_64__)
#define LOOP(body, ...) \
    long n = kTurns;    \
    __asm__ volatile("1:\n\t" body "\n\tsub $1, %0\n\tjnz 1b" : "+r"(n) : : "cc", __VA_ARGS__)
KERNEL f64_scalar(void) { LOOP("addsd %%xmm0, %%xmm1\n\tmulsd %%xmm0, %%xmm2", "xmm1", "xmm2"); }
KERNEL f32_scalar(void) { LOOP("subss %%xmm0, %%xmm1\n\tdivss %%xmm0, %%xmm2", "xmm1", "xmm2"); }
KERNEL f64_two(void) { LOOP("addpd %%xmm0, %%xmm1\n\tsqrtpd %%xmm0, %%xmm2", "xmm1", "xmm2"); }
KERNEL f32_four(void) { LOOP("mulps %%xmm0, %%xmm1\n\taddps %%xmm0, %%xmm2", "xmm1", "xmm2"); }
KERNEL add_subtract(void) { LOOP("addsubpd %%xmm0, %%xmm1", "xmm1"); }
KERNEL converted(void) { LOOP("cvtsd2ss %%xmm0, %%xmm1\n\tucomisd %%xmm0, %%xmm2", "xmm1"); }
KERNEL vectors(void) { LOOP("paddd %%xmm0, %%xmm1\n\tpxor %%xmm0, %%xmm2", "xmm1", "xmm2"); }
KERNEL f64_four(void) { LOOP("vaddpd %%ymm0, %%ymm1, %%ymm1\n\tvmulpd %%ymm0, %%ymm2, %%ymm2", "xmm1", "xmm2"); }
KERNEL f32_eight(void) { LOOP("vaddps %%ymm0, %%ymm1, %%ymm1", "xmm1"); }
KERNEL fused(void) { LOOP("vfmadd231pd %%ymm0, %%ymm0, %%ymm1\n\tvfmadd231sd %%xmm0, %%xmm0, %%xmm2", "xmm1", "xmm2"); }
KERNEL x87(void) {
    long n = kTurns;
    __asm__ volatile("fld1\n1:\n\tfadd %%st(0), %%st(0)\n\tsub $1, %0\n\tjnz 1b\n\tfstp %%st(0)" : "+r"(n) : : "cc", "st");
}
#else
#define LOOP(body, ...) \
    long n = kTurns;    \
    __asm__ volatile("1:\n\t" body "\n\tsubs %0, %0, #1\n\tb.ne 1b" : "+r"(n) : : "cc", __VA_ARGS__)
KERNEL f64_scalar(void) { LOOP("fadd d1, d1, d0\n\tfmul d2, d2, d0", "v1", "v2"); }
KERNEL f32_scalar(void) { LOOP("fsub s1, s1, s0\n\tfdiv s2, s2, s0", "v1", "v2"); }
KERNEL f64_two(void) { LOOP("fadd v1.2d, v1.2d, v0.2d\n\tfmul v2.2d, v2.2d, v0.2d", "v1", "v2"); }
KERNEL f32_four(void) { LOOP("fmul v1.4s, v1.4s, v0.4s\n\tfadd v2.4s, v2.4s, v0.4s", "v1", "v2"); }
KERNEL f32_two(void) { LOOP("fadd v1.2s, v1.2s, v0.2s", "v1"); }
KERNEL converted(void) { LOOP("fcvt s1, d0\n\tscvtf d2, %0", "v1", "v2"); }
KERNEL vectors(void) { LOOP("add v1.4s, v1.4s, v0.4s\n\teor v2.16b, v2.16b, v0.16b", "v1", "v2"); }
KERNEL fused(void) { LOOP("fmla v1.2d, v0.2d, v0.2d\n\tfmadd d2, d0, d0, d2", "v1", "v2"); }
#endif

// Two operations for each element, however it is compiled.
KERNEL axpy(double* y, const double* x, double a, long n) {
    for (long i = 0; i < n; ++i) y[i] += a * x[i];
}

// An address from memory for each element.
KERNEL gathered(double* y, const double* x, const int* index) {
    for (int i = 0; i < kTurns; ++i) y[i] += x[index[i]];
}
static volatile int drawn_number;
KERNEL from_integers(double* sum) {
    double all = 0;
    for (int i = 0; i < kTurns; ++i) all += drawn_number;
    *sum = all;
}

// One branch for each bit, and one for the loop.
static volatile int sink;
#define BRANCHES(name)                                              \
    KERNEL name(const unsigned char* bits) {                        \
        for (int i = 0; i < kBits; ++i) {                           \
            if (bits[i]) __asm__ volatile("" : : "r"(i) : "memory"); \
            if (bits[i]) sink = i;                                  \
        }                                                           \
    }
BRANCHES(never)
BRANCHES(alternating)
BRANCHES(drawn)

APART static int called(int value) {
    __asm__ volatile("" : "+r"(value));
    return value;
}
KERNEL caller(void) {
    int sum = 0;
    for (int i = 0; i < kTurns; ++i) sum += called(i);
    sink = sum;
}

KERNEL reads(const volatile long* words) {
    for (long i = 0; i < kWords; ++i) (void)words[i];
}
KERNEL writes(volatile long* words) {
    for (long i = 0; i < kWords; ++i) words[i] = i;
}
KERNEL rereads(const volatile long* words) {
    for (int k = 0; k < 64; ++k)
        for (long i = 0; i < 1024; ++i) (void)words[i];
}

int main(int count, char** arguments) {
    int vectors_of_four = count > 1 && strcmp(arguments[1], "avx") == 0;
    (void)vectors_of_four;
    f64_scalar();
    f32_scalar();
    f64_two();
    f32_four();
    converted();
    vectors();
#if defined(__x86_64__)
    add_subtract();
    x87();
    if (vectors_of_four) {
        f64_four();
        f32_eight();
        fused();
    }
#else
    f32_two();
    fused();
#endif
    double* y = calloc(1001, sizeof *y);
    double* x = calloc(1001, sizeof *x);
    for (int k = 0; k < 10; ++k) axpy(y, x, 3, 1001);

    double* places = calloc(kTurns, sizeof *places);
    int* index = calloc(kTurns, sizeof *index);
    gathered(places, x, index);
    from_integers(places);

    unsigned char* bits = calloc(3, kBits);
    unsigned state = 1;
    for (int i = 0; i < kBits; ++i) {
        bits[kBits + i] = i & 1;
        state = state * 1103515245u + 12345;
        bits[2 * kBits + i] = state >> 30 & 1;
    }
    never(bits);
    alternating(bits + kBits);
    drawn(bits + 2 * kBits);
    caller();

    // Whole lines and pages.
    char* const memory = malloc((2 * kWords + 1024) * sizeof(long) + 8192);
    long* const words = (long*)(memory + 4096 - (size_t)memory % 4096);
    reads(words);
    writes(words + kWords);
    rereads(words);

    char buffer[1000] = {0};
    const int nothing = open("/dev/null", O_WRONLY);
    for (int i = 0; i < 3; ++i)
        if (write(nothing, buffer, sizeof buffer) != sizeof buffer) return 1;
    close(nothing);
    free(memory);
    free(bits);
    free(places);
    free(index);
    free(x);
    free(y);
    return 0;
}
