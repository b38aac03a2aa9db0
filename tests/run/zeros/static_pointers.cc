// SPDX-License-Identifier: GPL-2.0-or-later
// PROVES: pointers are never too wide: static data have low addresses under Valgrind, which need no more bytes than a
//number does; numbers of the same width beside them are
// ARGS: --zeros=all --contention=no --zeros-threshold=0
// EXPECT: nothing
// COMPILE: gcc -O0 -O2
// SET: N=100
// ZEROS: row name loads=N advice=!narrow
// ZEROS: row length loads=N advice=narrow
// ZEROS: row pointer loads=N advice=!narrow
// ZEROS: row function loads=N advice=!narrow
// ZEROS: row copy loads=N advice=!narrow
// ZEROS: row number loads=N advice=narrow:uint32_t
// ZEROS: row dangling loads=N advice=!narrow
// ZEROS: object names columns=16:1-7 advice=narrow
// ZEROS: object pointers advice=none
// ZEROS: object functions advice=none
// ZEROS: object numbers advice=narrow:uint32_t
// ZEROS: object sentinels advice=none
// ZEROS: object heap:pointers_copied advice=none
// ZEROS: object local:locals advice=none
#include <sys/mman.h>

#include <string_view>

#include "loads.h"

static const char texts[N][16] = {"zero", "one", "two", "three"};
struct Name {
    size_t length;
    const char* text;
};
static Name names[N];
static const char* pointers[N];
static int (*functions[N])(int);
static uint64_t numbers[N];
static char* dangling[N];
static const char* sentinels[N];  // by their type only

static int one(int x) { return x + 1; }
static int two(int x) { return x + 2; }

__attribute__((noinline)) static uintptr_t on_stack() {
    const char* volatile locals[N];
    for (int i = 0; i < N; ++i) locals[i] = texts[i];
    uintptr_t sum = 0;
    for (int i = 0; i < N; ++i) sum += (uintptr_t)locals[i];
    return sum;
}

int main() {
    char* const gone = (char*)mmap(nullptr, 1 << 20, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    const char** const copied = (const char**)malloc(N * sizeof(char*)); /* label: pointers_copied */
    for (int i = 0; i < N; ++i) {
        names[i] = {(size_t)i, texts[i]};
        copied[i] = pointers[i] = texts[i];
        functions[i] = i % 2 == 0 ? one : two;
        numbers[i] = 0x12345678u * (uint64_t)(i + 1) % 0x87654321u;
        dangling[i] = gone + i;
        sentinels[i] = (const char*)(uintptr_t)(i + 1);
    }
    munmap(gone, 1 << 20);
    uintptr_t sum = 0;
    for (int i = 0; i < N; ++i) sum += (uintptr_t)LOAD(names[i].text);  /* label: name */
    for (int i = 0; i < N; ++i) sum += LOAD(names[i].length);           /* label: length */
    for (int i = 0; i < N; ++i) sum += (uintptr_t)LOAD(pointers[i]);    /* label: pointer */
    for (int i = 0; i < N; ++i) sum += (uintptr_t)LOAD(functions[i]);   /* label: function */
    for (int i = 0; i < N; ++i) sum += (uintptr_t)LOAD(copied[i]);      /* label: copy */
    for (int i = 0; i < N; ++i) sum += LOAD(numbers[i]);                /* label: number */
    for (int i = 0; i < N; ++i) sum += (uintptr_t)LOAD(dangling[i]);    /* label: dangling */
    for (int i = 0; i < N; ++i) sum += (uintptr_t)LOAD(sentinels[i]);
    USE(sum + on_stack());
    free(copied);
    return 0;
}
