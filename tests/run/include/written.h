// SPDX-License-Identifier: GPL-2.0-or-later
//
// Compares what the kernel wrote in a system call with what is defined after it.
//
// Each call is made twice, with buffers full of two different patterns that are then made uninitialised: what
// differs from the pattern after either call was written by the kernel (or by the program before the call).
// Bytes between the members of a structure may be defined without having been written.
#pragma once

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <valgrind/memcheck.h>

#define ROUNDS 2
#define MOST 16384
struct out {
    unsigned char* bytes;
    size_t size;
    const char* what;
    unsigned char written[MOST], defined[MOST];
};
static struct out outs[8];
static int out_count, round_number, failures, calls, has_gaps;
static const char* call_name;

static unsigned char pattern(void) { return round_number == 0 ? 0xa5 : 0x5a; }

static void out(void* bytes, size_t size, const char* what) {
    struct out* o = &outs[out_count++];
    if (round_number == 0) memset(o, 0, sizeof *o);
    o->bytes = bytes;
    o->size = size;
    o->what = what;
    memset(bytes, pattern(), size);
    VALGRIND_MAKE_MEM_UNDEFINED(bytes, size);
}

static void tell(const struct out* o, const char* what, size_t first, size_t end) {
    if (first == end) return;
    printf("%s: %s: bytes %zu to %zu of %zu %s\n", call_name, o->what, first, end - 1, o->size, what);
    failures++;
}

static void compare(const struct out* o) {
    size_t first = 0;
    int kind = 0;
    for (size_t i = 0; i <= o->size; i++) {
        int now = 0;
        if (i < o->size && (o->written[i] & ~o->defined[i]) != 0) now = 1;
        if (i < o->size && o->written[i] == 0 && o->defined[i] == 3 && !has_gaps) now = 2;
        if (now == kind) continue;
        if (kind != 0) tell(o, kind == 1 ? "were written and are not defined" : "were not written and are defined", first, i);
        first = i;
        kind = now;
    }
}

static void check(long result) {
    if (result < 0) printf("# %s failed: %s\n", call_name, strerror(errno));
    for (int n = 0; n < out_count; n++) {
        struct out* o = &outs[n];
        unsigned char bits[MOST];
        VALGRIND_GET_VBITS(o->bytes, bits, o->size);
        VALGRIND_MAKE_MEM_DEFINED(o->bytes, o->size);
        for (size_t i = 0; i < o->size; i++) {
            if (o->bytes[i] != pattern()) o->written[i] |= 1 << round_number;
            if (bits[i] == 0) o->defined[i] |= 1 << round_number;
        }
        if (round_number == 1) compare(o);
    }
    if (round_number == 1) calls++;
    out_count = 0;
}

#define TWICE(name) for (has_gaps = 0, call_name = name, round_number = 0; round_number < ROUNDS; round_number++)
#define TWICE_WITH_GAPS(name) for (has_gaps = 1, call_name = name, round_number = 0; round_number < ROUNDS; round_number++)
#define OUT(object) out(&(object), sizeof(object), #object)

