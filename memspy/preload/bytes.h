// SPDX-License-Identifier: GPL-2.0-or-later
//
// Copying, filling, comparing and searching of memory, as the client runs it under memspy.
//
// All of preload/ is client code: it is instrumented like the rest of the program. Three rules follow.
//
// * No byte is touched that C's own definition of the function does not touch. libc's versions read whole
//   vectors around a string's end, which would be reported; that is why they are replaced.
// * An access costs a check whatever its width, and checks of aligned accesses are the cheapest. So where
//   the length is known accesses are wide, and the destination is aligned first. Accesses that cannot be
//   aligned have instructions of their own, because an instruction that was once seen misaligned keeps the
//   more expensive check. So the same code exists in two copies (IN_TWO_PLACES).
// * No function of libc is called, except where noted: it would lead back to here.
//
// GCC and Clang turn loops into calls of memcpy, memset and strlen, that is, into calls of themselves. Later
// compilers vectorise search loops and read ahead. The pragmas and -fno-builtin forbid both.
//
// Each loop is one small block that includes its first round: Valgrind unrolls such a block itself, and
// because there is only one instruction, the errors of all rounds are one report.
#pragma once

#include <stddef.h>
#include <stdint.h>

#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC optimize("no-tree-loop-distribute-patterns", "no-tree-vectorize", "no-tree-ch",                  \
                     "no-tree-tail-merge", "no-crossjumping")
#endif

// Every body is in the function with the client's name for it, so that a stack shows no other name.
#define INLINE static inline __attribute__((always_inline))

typedef unsigned char Byte;
typedef size_t usize;

// Words of any alignment, over objects of any type.
typedef uint16_t Word2 __attribute__((aligned(1), may_alias));
typedef uint32_t Word4 __attribute__((aligned(1), may_alias));
typedef uint64_t Word8 __attribute__((aligned(1), may_alias));
typedef uint64_t Word16 __attribute__((vector_size(16), aligned(1), may_alias));

// Handling of the two misuses that are found here. The native test replaces these macros.
#ifndef MEMSPY_OVERLAP
#include "memspy.h"

#define MEMSPY_OVERLAP(function, destination, source, length)                                                \
    _MEMSPY_RECORD_OVERLAP(function, destination, source, length)
#define MEMSPY_BUFFER_OVERFLOW() buffer_overflow()

// libc's own checking functions end in this: a message and abort(). Weak, because not every libc has it.
extern void __chk_fail(void) __attribute__((noreturn, weak));

static __attribute__((noreturn, noinline, unused)) void buffer_overflow(void) {
    if (__chk_fail) __chk_fail();
    __builtin_trap();
}
#endif

// Whether two ranges share a byte; neither is empty, or both are.
INLINE int overlap(const void* a, usize a_bytes, const void* b, usize b_bytes) {
    return (uintptr_t)b - (uintptr_t)a < a_bytes || (uintptr_t)a - (uintptr_t)b < b_bytes;
}

// The overlap check of functions whose operands must not overlap. The report has `length`, the call's own
// argument.
enum { kNoLength = 0 };  // the call has none
#define CHECK_OVERLAP(function, destination, destination_bytes, source, source_bytes, length)                \
    do {                                                                                                     \
        if (__builtin_expect(overlap(destination, destination_bytes, source, source_bytes), 0))              \
            MEMSPY_OVERLAP(function, destination, source, length);                                           \
    } while (0)

// A call is one error, whichever of its accesses is the first at fault and however wide it is. So each call
// says in registers what it is about to write and to read; the tool looks there when an access is at fault
// (analyses/defects/whole_calls.h). Functions may change these registers, and nothing here needs them.
#if defined(__x86_64__)
#define SAY(name, value) __asm__ volatile("movq %0, %%" name ::"r"(value) : name)
#define REGISTER_TO "xmm15"
#define REGISTER_FROM "xmm14"
#define REGISTER_BYTES "xmm13"
#elif defined(__aarch64__)
#define SAY(name, value) __asm__ volatile("fmov d" name ", %0" ::"r"(value) : "v" name)
#define REGISTER_TO "31"
#define REGISTER_FROM "30"
#define REGISTER_BYTES "29"
#endif

// No memory is that large: a negative length, mostly. The call faults, as it would later, but before it has
// written over its caller's frame; the tool knows such a fault by what was said.
enum { kAddressBits = 47 };
static const uintptr_t kNowhere = ((uintptr_t)1 << kAddressBits) - 4096;

INLINE void say_range(const void* to, const void* from, usize bytes) {
    SAY(REGISTER_TO, to);
    SAY(REGISTER_FROM, from);
    SAY(REGISTER_BYTES, bytes);
    if (__builtin_expect(bytes >> kAddressBits != 0, 0)) *(volatile Byte*)kNowhere;
}
INLINE void say_range_done(void) { SAY(REGISTER_BYTES, (usize)0); }

#define MOVE(Word, to, from) (*(Word*)(to) = *(const Word*)(from))

// Two copies: one for the case that every access of four bytes or more is aligned to four, one for the other
// case. -fcrossjumping would merge the two again.
#define IN_TWO_PLACES(all_aligned, call)                                                                     \
    do {                                                                                                     \
        if (all_aligned)                                                                                     \
            call;                                                                                            \
        else                                                                                                 \
            call;                                                                                            \
    } while (0)

// Whether pieces of 16, 8 and 4 bytes are aligned to four once the wide ones are aligned in the destination.
INLINE int copies_aligned(const void* to, const void* from, usize bytes) {
    return bytes >= 16 ? (((uintptr_t)to ^ (uintptr_t)from) & 3) == 0
                       : (((uintptr_t)to | (uintptr_t)from) & 3) == 0;
}

// Copies upwards. Correct for overlapping operands if the destination is below the source, because every
// piece is loaded before it is stored, and a store only reaches loaded bytes.
INLINE void copy_up(Byte* to, const Byte* from, usize bytes) {
    if (bytes >= 16) {
        usize head = -(uintptr_t)to & 15;
        bytes -= head;
        if (head & 1) {
            *to = *from;
            to += 1, from += 1;
        }
        if (head & 2) {
            MOVE(Word2, to, from);
            to += 2, from += 2;
        }
        if (head & 4) {
            MOVE(Word4, to, from);
            to += 4, from += 4;
        }
        if (head & 8) {
            MOVE(Word8, to, from);
            to += 8, from += 8;
        }
        for (; bytes >= 16; bytes -= 16, to += 16, from += 16) MOVE(Word16, to, from);
    }
    if (bytes & 8) {
        MOVE(Word8, to, from);
        to += 8, from += 8;
    }
    if (bytes & 4) {
        MOVE(Word4, to, from);
        to += 4, from += 4;
    }
    if (bytes & 2) {
        MOVE(Word2, to, from);
        to += 2, from += 2;
    }
    if (bytes & 1) *to = *from;
}

// Copies downwards, for a destination above the source. The mirror image of copy_up: both pointers are at the
// end of the bytes still to be copied.
INLINE void copy_down(Byte* to, const Byte* from, usize bytes) {
    to += bytes, from += bytes;
    if (bytes >= 16) {
        usize tail = (uintptr_t)to & 15;
        bytes -= tail;
        if (tail & 1) {
            to -= 1, from -= 1;
            *to = *from;
        }
        if (tail & 2) {
            to -= 2, from -= 2;
            MOVE(Word2, to, from);
        }
        if (tail & 4) {
            to -= 4, from -= 4;
            MOVE(Word4, to, from);
        }
        if (tail & 8) {
            to -= 8, from -= 8;
            MOVE(Word8, to, from);
        }
        for (; bytes >= 16; bytes -= 16) {
            to -= 16, from -= 16;
            MOVE(Word16, to, from);
        }
    }
    if (bytes & 8) {
        to -= 8, from -= 8;
        MOVE(Word8, to, from);
    }
    if (bytes & 4) {
        to -= 4, from -= 4;
        MOVE(Word4, to, from);
    }
    if (bytes & 2) {
        to -= 2, from -= 2;
        MOVE(Word2, to, from);
    }
    if (bytes & 1) to[-1] = from[-1];
}

// Copies correctly whatever overlaps: a program that misuses memcpy gets a report, but is not broken further.
// A part of a call that has said its whole range.
INLINE void copy_part(void* to, const void* from, usize bytes) {
    if ((uintptr_t)to - (uintptr_t)from >= bytes)
        IN_TWO_PLACES(copies_aligned(to, from, bytes), copy_up((Byte*)to, (const Byte*)from, bytes));
    else
        copy_down((Byte*)to, (const Byte*)from, bytes);
}

INLINE void* copy(void* to, const void* from, usize bytes) {
    say_range(to, from, bytes);
    copy_part(to, from, bytes);
    say_range_done();
    return to;
}

// The same with a report of overlap, for one more comparison. memcpy(p, p, n) is allowed: it is harmless
// everywhere, and compilers emit it to assign a structure to itself.
INLINE void* copy_apart(const char* function, void* to, const void* from, usize bytes) {
    say_range(to, from, bytes);
    if ((uintptr_t)to - (uintptr_t)from >= bytes) {
        if (__builtin_expect((uintptr_t)from - (uintptr_t)to < bytes, 0))
            MEMSPY_OVERLAP(function, to, from, bytes);
        IN_TWO_PLACES(copies_aligned(to, from, bytes), copy_up((Byte*)to, (const Byte*)from, bytes));
    } else {
        if (to != from) MEMSPY_OVERLAP(function, to, from, bytes);
        copy_down((Byte*)to, (const Byte*)from, bytes);
    }
    say_range_done();
    return to;
}

// Fills with a pattern that repeats every `period` bytes: 1, or 4 with `to` aligned to 4.
INLINE void fill_pattern(Byte* to, uint64_t pattern, usize bytes) {
    if (bytes >= 16) {
        usize head = -(uintptr_t)to & 15;
        Word16 wide = {pattern, pattern};
        bytes -= head;
        if (head & 1) {
            *to = (Byte)pattern;
            to += 1;
        }
        if (head & 2) {
            *(Word2*)to = (uint16_t)pattern;
            to += 2;
        }
        if (head & 4) {
            *(Word4*)to = (uint32_t)pattern;
            to += 4;
        }
        if (head & 8) {
            *(Word8*)to = pattern;
            to += 8;
        }
        for (; bytes >= 16; bytes -= 16, to += 16) *(Word16*)to = wide;
    }
    if (bytes & 8) {
        *(Word8*)to = pattern;
        to += 8;
    }
    if (bytes & 4) {
        *(Word4*)to = (uint32_t)pattern;
        to += 4;
    }
    if (bytes & 2) {
        *(Word2*)to = (uint16_t)pattern;
        to += 2;
    }
    if (bytes & 1) *to = (Byte)pattern;
}

INLINE void fill_part(void* to, int value, usize bytes) {
    // By shifts rather than by a multiplication: undefined bits of the value then keep their positions.
    uint64_t pattern = (Byte)value;
    pattern |= pattern << 8;
    pattern |= pattern << 16;
    pattern |= pattern << 32;
    IN_TWO_PLACES(bytes >= 16 || ((uintptr_t)to & 3) == 0, fill_pattern((Byte*)to, pattern, bytes));
}

INLINE void* fill(void* to, int value, usize bytes) {
    say_range(to, NULL, bytes);
    fill_part(to, value, bytes);
    say_range_done();
    return to;
}

INLINE void skip_equal_words(const Byte** a, const Byte** b, usize* bytes) {
    for (; *bytes >= 8 && *(const Word8*)*a == *(const Word8*)*b; *bytes -= 8) *a += 8, *b += 8;
}

// Both operands have `bytes` bytes, so word accesses do not read too far, even behind a difference. The first
// byte is compared first, because most comparisons end there. Words are only tested for a difference. Their
// bytes then decide the result, so that undefined bytes behind the difference have no effect.
INLINE int compare(const void* left, const void* right, usize bytes) {
    const Byte* a = (const Byte*)left;
    const Byte* b = (const Byte*)right;
    if (bytes >= 16 && *a == *b) {
        for (; (uintptr_t)a & 7; a++, b++, bytes--)
            if (*a != *b) return *a - *b;
        IN_TWO_PLACES(((uintptr_t)b & 3) == 0, skip_equal_words(&a, &b, &bytes));
    }
    for (; bytes > 0; a++, b++, bytes--) {
        int difference = *a - *b;
        if (difference != 0) return difference;
    }
    return 0;
}

INLINE void* find_byte(const void* memory, int value, usize bytes) {
    const Byte* at = (const Byte*)memory;
    for (; bytes > 0; at++, bytes--)
        if (*at == (Byte)value) return (void*)at;
    return NULL;
}

INLINE void* find_last_byte(const void* memory, int value, usize bytes) {
    const Byte* at = (const Byte*)memory + bytes;
    while (bytes-- > 0)
        if (*--at == (Byte)value) return (void*)at;
    return NULL;
}

INLINE void* find_byte_unbounded(const void* memory, int value) {
    const Byte* at = (const Byte*)memory;
    while (*at != (Byte)value) at++;
    return (void*)at;
}

// The forms that compilers call with _FORTIFY_SOURCE: `room` is the size of the destination.
#define CHECK_ROOM(room, needed)                                                                             \
    do {                                                                                                     \
        if ((room) < (needed)) MEMSPY_BUFFER_OVERFLOW();                                                     \
    } while (0)

INLINE void* copy_within(void* to, const void* from, usize bytes, usize room) {
    CHECK_ROOM(room, bytes);
    return copy(to, from, bytes);
}

INLINE void* copy_apart_within(const char* function, void* to, const void* from, usize bytes, usize room) {
    CHECK_ROOM(room, bytes);
    return copy_apart(function, to, from, bytes);
}

INLINE void* fill_within(void* to, int value, usize bytes, usize room) {
    CHECK_ROOM(room, bytes);
    return fill(to, value, bytes);
}
