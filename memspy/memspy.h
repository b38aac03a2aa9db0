/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Requests that a program makes of memspy, the Valgrind tool.
 *
 * Copyright (C) 2026 the memspy authors. All rights reserved.
 *
 * Redistribution and use in source and binary forms, with or without modification, are permitted provided
 * that the following conditions are met:
 *
 * 1. Redistributions of source code must retain the above copyright notice, this list of conditions and the
 *    following disclaimer.
 * 2. Redistributions in binary form must reproduce the above copyright notice, this list of conditions and
 *    the following disclaimer in the documentation and/or other materials provided with the distribution.
 *
 * THIS SOFTWARE IS PROVIDED BY THE COPYRIGHT HOLDERS AND CONTRIBUTORS "AS IS" AND ANY EXPRESS OR IMPLIED
 * WARRANTIES, INCLUDING, BUT NOT LIMITED TO, THE IMPLIED WARRANTIES OF MERCHANTABILITY AND FITNESS FOR A
 * PARTICULAR PURPOSE ARE DISCLAIMED. IN NO EVENT SHALL THE COPYRIGHT HOLDER OR CONTRIBUTORS BE LIABLE FOR ANY
 * DIRECT, INDIRECT, INCIDENTAL, SPECIAL, EXEMPLARY, OR CONSEQUENTIAL DAMAGES (INCLUDING, BUT NOT LIMITED TO,
 * PROCUREMENT OF SUBSTITUTE GOODS OR SERVICES; LOSS OF USE, DATA, OR PROFITS; OR BUSINESS INTERRUPTION)
 * HOWEVER CAUSED AND ON ANY THEORY OF LIABILITY, WHETHER IN CONTRACT, STRICT LIABILITY, OR TORT (INCLUDING
 * NEGLIGENCE OR OTHERWISE) ARISING IN ANY WAY OUT OF THE USE OF THIS SOFTWARE, EVEN IF ADVISED OF THE
 * POSSIBILITY OF SUCH DAMAGE.
 *
 * This licence holds for this one file; the rest of memspy is under the GNU General Public License. So a
 * program under any licence may include it.
 *
 * A request is a handful of instructions that do nothing natively: a program may keep its requests in, at the
 * cost of a few cycles each. "Not under memspy" below means natively as well as under another Valgrind tool.
 * Lengths and sizes are in bytes. Addresses are plain pointers; a length of 0 is allowed and does nothing.
 *
 * The pool and allocator requests of valgrind.h (VALGRIND_MALLOCLIKE_BLOCK, VALGRIND_FREELIKE_BLOCK,
 * VALGRIND_RESIZEINPLACE_BLOCK, VALGRIND_CREATE_MEMPOOL and the like) are understood by memspy too; including
 * this file brings them along. Works in C89 with GNU extensions and later, and in C++.
 */
#ifndef MEMSPY_MEMSPY_H
#define MEMSPY_MEMSPY_H

#if defined(__has_include)
#if __has_include(<valgrind/valgrind.h>)
#include <valgrind/valgrind.h>
#else
#include "valgrind.h"
#endif
#else
#include <valgrind/valgrind.h>
#endif

/*
 * FROZEN. These values are compiled into programs: a value is never changed and never used again for
 * something else; a new request takes the next free value.
 */
typedef enum {
    MEMSPY_REQ_MAKE_MEM_NOACCESS = VG_USERREQ_TOOL_BASE('M', 'S') + 0,
    MEMSPY_REQ_MAKE_MEM_UNDEFINED = VG_USERREQ_TOOL_BASE('M', 'S') + 1,
    MEMSPY_REQ_MAKE_MEM_DEFINED = VG_USERREQ_TOOL_BASE('M', 'S') + 2,
    MEMSPY_REQ_MAKE_MEM_DEFINED_IF_ADDRESSABLE = VG_USERREQ_TOOL_BASE('M', 'S') + 3,
    MEMSPY_REQ_CHECK_MEM_IS_ADDRESSABLE = VG_USERREQ_TOOL_BASE('M', 'S') + 4,
    MEMSPY_REQ_CHECK_MEM_IS_DEFINED = VG_USERREQ_TOOL_BASE('M', 'S') + 5,
    MEMSPY_REQ_DO_LEAK_CHECK = VG_USERREQ_TOOL_BASE('M', 'S') + 6,
    MEMSPY_REQ_COUNT_LEAKS = VG_USERREQ_TOOL_BASE('M', 'S') + 7,
    MEMSPY_REQ_COUNT_LEAK_BLOCKS = VG_USERREQ_TOOL_BASE('M', 'S') + 8,
    MEMSPY_REQ_START_INSTRUMENTATION = VG_USERREQ_TOOL_BASE('M', 'S') + 9,
    MEMSPY_REQ_STOP_INSTRUMENTATION = VG_USERREQ_TOOL_BASE('M', 'S') + 10,
    MEMSPY_REQ_GET_VBITS = VG_USERREQ_TOOL_BASE('M', 'S') + 11,
    MEMSPY_REQ_SET_VBITS = VG_USERREQ_TOOL_BASE('M', 'S') + 12,
    MEMSPY_REQ_CREATE_BLOCK = VG_USERREQ_TOOL_BASE('M', 'S') + 13,
    MEMSPY_REQ_DISCARD = VG_USERREQ_TOOL_BASE('M', 'S') + 14,
    MEMSPY_REQ_DISABLE_REPORTS = VG_USERREQ_TOOL_BASE('M', 'S') + 15,
    MEMSPY_REQ_ENABLE_REPORTS = VG_USERREQ_TOOL_BASE('M', 'S') + 16,
    /* From here on: memspy's own libraries only. */
    MEMSPY_REQ_RECORD_OVERLAP = VG_USERREQ_TOOL_BASE('M', 'S') + 256,
    MEMSPY_REQ_HEAP_IN_USE = VG_USERREQ_TOOL_BASE('M', 'S') + 257,
    MEMSPY_REQ_BLOCK_TAKEN = VG_USERREQ_TOOL_BASE('M', 'S') + 258,
    MEMSPY_REQ_BLOCK_RELEASED = VG_USERREQ_TOOL_BASE('M', 'S') + 259,
    MEMSPY_REQ_MAY_BE_KILLED = VG_USERREQ_TOOL_BASE('M', 'S') + 260,
    MEMSPY_REQ_MPI_ENTER = VG_USERREQ_TOOL_BASE('M', 'S') + 272,
    MEMSPY_REQ_MPI_LEAVE = VG_USERREQ_TOOL_BASE('M', 'S') + 273,
    MEMSPY_REQ_MPI_COMM = VG_USERREQ_TOOL_BASE('M', 'S') + 274,
    MEMSPY_REQ_MPI_COMM_GONE = VG_USERREQ_TOOL_BASE('M', 'S') + 275,
    MEMSPY_REQ_MPI_COMPLETE = VG_USERREQ_TOOL_BASE('M', 'S') + 276,
    MEMSPY_REQ_MPI_WORLD = VG_USERREQ_TOOL_BASE('M', 'S') + 277,
    MEMSPY_REQ_MPI_STARTS = VG_USERREQ_TOOL_BASE('M', 'S') + 278,
    MEMSPY_REQ_MPI_AWAIT = VG_USERREQ_TOOL_BASE('M', 'S') + 279,
    MEMSPY_REQ_MPI_PIECE = VG_USERREQ_TOOL_BASE('M', 'S') + 280,
    MEMSPY_REQ_MPI_CHECK = VG_USERREQ_TOOL_BASE('M', 'S') + 281,
    MEMSPY_REQ_MPI_ARRIVED = VG_USERREQ_TOOL_BASE('M', 'S') + 282,
    MEMSPY_REQ_MPI_FORGET = VG_USERREQ_TOOL_BASE('M', 'S') + 283,
    MEMSPY_REQ_MPI_TRUNCATED = VG_USERREQ_TOOL_BASE('M', 'S') + 284,
    MEMSPY_REQ_MPI_ENDS = VG_USERREQ_TOOL_BASE('M', 'S') + 285,
    MEMSPY_REQ_MPI_KEEP_STATUSES = VG_USERREQ_TOOL_BASE('M', 'S') + 286,
    MEMSPY_REQ_MPI_STATUSES = VG_USERREQ_TOOL_BASE('M', 'S') + 287,
    MEMSPY_REQ_MPI_SYNCHRONISED = VG_USERREQ_TOOL_BASE('M', 'S') + 288,
    MEMSPY_REQ_MPI_LETTER_TO = VG_USERREQ_TOOL_BASE('M', 'S') + 289,
    MEMSPY_REQ_MPI_LETTER_FROM = VG_USERREQ_TOOL_BASE('M', 'S') + 290,
    MEMSPY_REQ_MPI_NO_LETTERS = VG_USERREQ_TOOL_BASE('M', 'S') + 291,
    MEMSPY_REQ_MPI_CLOCK = VG_USERREQ_TOOL_BASE('M', 'S') + 292,
    MEMSPY_REQ_MPI_MATCHED = VG_USERREQ_TOOL_BASE('M', 'S') + 293,
    MEMSPY_REQ_MPI_MATCHED_COMM = VG_USERREQ_TOOL_BASE('M', 'S') + 294,
    MEMSPY_REQ_MPI_COMM_MADE = VG_USERREQ_TOOL_BASE('M', 'S') + 295,
    MEMSPY_REQ_MPI_COMM_NAME = VG_USERREQ_TOOL_BASE('M', 'S') + 296,
    MEMSPY_REQ_MPI_SHARE = VG_USERREQ_TOOL_BASE('M', 'S') + 297,
    MEMSPY_REQ_MPI_GIVES = VG_USERREQ_TOOL_BASE('M', 'S') + 298,
    MEMSPY_REQ_MPI_READY = VG_USERREQ_TOOL_BASE('M', 'S') + 299,
    MEMSPY_REQ_MPI_PART_ARRIVED = VG_USERREQ_TOOL_BASE('M', 'S') + 300,
    MEMSPY_REQ_MPI_GIVE_BACK = VG_USERREQ_TOOL_BASE('M', 'S') + 301,
    MEMSPY_REQ_MPI_HAS_ENDED = VG_USERREQ_TOOL_BASE('M', 'S') + 302,
    MEMSPY_REQ_MPI_MAY_END = VG_USERREQ_TOOL_BASE('M', 'S') + 303,
    MEMSPY_REQ_MPI_OWN_QUESTION = VG_USERREQ_TOOL_BASE('M', 'S') + 304,
    MEMSPY_REQ_MPI_ERROR = VG_USERREQ_TOOL_BASE('M', 'S') + 305,
    MEMSPY_REQ_MPI_OBJECT = VG_USERREQ_TOOL_BASE('M', 'S') + 306,
    MEMSPY_REQ_MPI_UNRECEIVED = VG_USERREQ_TOOL_BASE('M', 'S') + 307,
    MEMSPY_REQ_MPI_WINDOW = VG_USERREQ_TOOL_BASE('M', 'S') + 308,
    MEMSPY_REQ_MPI_USE = VG_USERREQ_TOOL_BASE('M', 'S') + 309,
    MEMSPY_REQ_MPI_PARTNERS = VG_USERREQ_TOOL_BASE('M', 'S') + 310,
    MEMSPY_REQ_MPI_FOUND_COMPLETE = VG_USERREQ_TOOL_BASE('M', 'S') + 311,
    MEMSPY_REQ_MPI_SEND_BUFFER = VG_USERREQ_TOOL_BASE('M', 'S') + 312,
    MEMSPY_REQ_MPI_SHARED_PART = VG_USERREQ_TOOL_BASE('M', 'S') + 313
} MemspyRequest;

/* The values of MEMSPY_REQ_DO_LEAK_CHECK's two arguments. Frozen as well. */
#define MEMSPY_LEAK_REPORT_FULL 0     /* a report for each place of allocation that leaked */
#define MEMSPY_LEAK_REPORT_SUMMARY 1  /* totals only */
#define MEMSPY_LEAK_COMPARE_NONE 0    /* everything that the check finds */
#define MEMSPY_LEAK_COMPARE_GROWN 1   /* only what has grown since the check before */
#define MEMSPY_LEAK_COMPARE_CHANGED 2 /* only what has grown or shrunk since the check before */

#define MEMSPY_REQUEST_(request, a, b, c, d)                                                                 \
    VALGRIND_DO_CLIENT_REQUEST_EXPR(0 /* when not under memspy */, request, a, b, c, d, 0)

/*
 * The state of memory. Each sets the state of the `length` bytes from `address` on and gives 1 under memspy,
 * 0 otherwise. They are for programs that manage memory themselves, and work on any memory, heap or not.
 *
 *   NOACCESS                 every access is a defect from now on
 *   UNDEFINED                may be accessed; its contents are as if never written
 *   DEFINED                  may be accessed; its contents are taken for written
 *   DEFINED_IF_ADDRESSABLE   as DEFINED for the bytes that may be accessed; leaves the others as they are
 */
#define MEMSPY_MAKE_MEM_NOACCESS(address, length)                                                            \
    MEMSPY_REQUEST_(MEMSPY_REQ_MAKE_MEM_NOACCESS, (address), (length), 0, 0)
#define MEMSPY_MAKE_MEM_UNDEFINED(address, length)                                                           \
    MEMSPY_REQUEST_(MEMSPY_REQ_MAKE_MEM_UNDEFINED, (address), (length), 0, 0)
#define MEMSPY_MAKE_MEM_DEFINED(address, length)                                                             \
    MEMSPY_REQUEST_(MEMSPY_REQ_MAKE_MEM_DEFINED, (address), (length), 0, 0)
#define MEMSPY_MAKE_MEM_DEFINED_IF_ADDRESSABLE(address, length)                                              \
    MEMSPY_REQUEST_(MEMSPY_REQ_MAKE_MEM_DEFINED_IF_ADDRESSABLE, (address), (length), 0, 0)

/*
 * Is all of the `length` bytes from `address` on addressable; addressable and initialised? Gives 0 when it is
 * (and when not under memspy), else the address of the first byte that is not, as an unsigned long; that is
 * reported as a defect at the place of the request, too.
 */
#define MEMSPY_CHECK_MEM_IS_ADDRESSABLE(address, length)                                                     \
    MEMSPY_REQUEST_(MEMSPY_REQ_CHECK_MEM_IS_ADDRESSABLE, (address), (length), 0, 0)
#define MEMSPY_CHECK_MEM_IS_DEFINED(address, length)                                                         \
    MEMSPY_REQUEST_(MEMSPY_REQ_CHECK_MEM_IS_DEFINED, (address), (length), 0, 0)

/* The same for a variable: MEMSPY_CHECK_VALUE_IS_DEFINED(x). `lvalue` must have an address; no bit-field. */
#define MEMSPY_CHECK_VALUE_IS_DEFINED(lvalue)                                                                \
    MEMSPY_CHECK_MEM_IS_DEFINED((const volatile void*)&(lvalue), sizeof(lvalue))

/*
 * The undefined bits of the `length` bytes from `address` on, one byte of `bits` for each, 1 for an undefined bit:
 * GET writes them to `bits`, SET takes them from there. Both give 1 when done; 3, and nothing is done, when one of
 * the bytes at `address` or `bits` is not addressable; 0 when not under memspy.
 */
#define MEMSPY_GET_VBITS(address, bits, length)                                                              \
    MEMSPY_REQUEST_(MEMSPY_REQ_GET_VBITS, (address), (bits), (length), 0)
#define MEMSPY_SET_VBITS(address, bits, length)                                                              \
    MEMSPY_REQUEST_(MEMSPY_REQ_SET_VBITS, (address), (bits), (length), 0)

/*
 * Gives memory a name: reports on an address inside say it. `name` is a C string, which is copied. CREATE gives a
 * handle for DISCARD, which ends it and gives 0, or 1 when there is no such block (not under memspy: both give 0).
 */
#define MEMSPY_CREATE_BLOCK(address, length, name)                                                           \
    MEMSPY_REQUEST_(MEMSPY_REQ_CREATE_BLOCK, (address), (length), (name), 0)
#define MEMSPY_DISCARD(handle) MEMSPY_REQUEST_(MEMSPY_REQ_DISCARD, 0, (handle), 0, 0)

/*
 * Invalid accesses that begin in the range are not reported until it is enabled again, wholly or in part. Both give
 * 1, or 0 when `length` is 0 or not under memspy.
 */
#define MEMSPY_DISABLE_ADDR_ERROR_REPORTING_IN_RANGE(address, length)                                        \
    MEMSPY_REQUEST_(MEMSPY_REQ_DISABLE_REPORTS, (address), (length), 0, 0)
#define MEMSPY_ENABLE_ADDR_ERROR_REPORTING_IN_RANGE(address, length)                                         \
    MEMSPY_REQUEST_(MEMSPY_REQ_ENABLE_REPORTS, (address), (length), 0, 0)

/*
 * Looks for leaks now, as at the end of the run, and reports them. ADDED and CHANGED report the differences
 * to the leak check before; QUICK prints the totals alone. Statements; no value. Nothing happens when not
 * under memspy.
 */
#define MEMSPY_DO_LEAK_CHECK                                                                                 \
    VALGRIND_DO_CLIENT_REQUEST_STMT(MEMSPY_REQ_DO_LEAK_CHECK, MEMSPY_LEAK_REPORT_FULL,                       \
                                    MEMSPY_LEAK_COMPARE_NONE, 0, 0, 0)
#define MEMSPY_DO_ADDED_LEAK_CHECK                                                                           \
    VALGRIND_DO_CLIENT_REQUEST_STMT(MEMSPY_REQ_DO_LEAK_CHECK, MEMSPY_LEAK_REPORT_FULL,                       \
                                    MEMSPY_LEAK_COMPARE_GROWN, 0, 0, 0)
#define MEMSPY_DO_CHANGED_LEAK_CHECK                                                                         \
    VALGRIND_DO_CLIENT_REQUEST_STMT(MEMSPY_REQ_DO_LEAK_CHECK, MEMSPY_LEAK_REPORT_FULL,                       \
                                    MEMSPY_LEAK_COMPARE_CHANGED, 0, 0, 0)
#define MEMSPY_DO_QUICK_LEAK_CHECK                                                                           \
    VALGRIND_DO_CLIENT_REQUEST_STMT(MEMSPY_REQ_DO_LEAK_CHECK, MEMSPY_LEAK_REPORT_SUMMARY,                    \
                                    MEMSPY_LEAK_COMPARE_NONE, 0, 0, 0)

/*
 * Sets its four arguments, lvalues of an arithmetic type, to what the last leak check found: bytes
 * (COUNT_LEAKS) or blocks (COUNT_LEAK_BLOCKS) that are lost (definitely or indirectly), possibly lost, still
 * reachable, and silenced by suppressions. All are 0 before the first leak check and when not under memspy.
 */
#define MEMSPY_COUNT_LEAKS(lost, possible, reachable, suppressed)                                            \
    MEMSPY_COUNT_(MEMSPY_REQ_COUNT_LEAKS, lost, possible, reachable, suppressed)
#define MEMSPY_COUNT_LEAK_BLOCKS(lost, possible, reachable, suppressed)                                      \
    MEMSPY_COUNT_(MEMSPY_REQ_COUNT_LEAK_BLOCKS, lost, possible, reachable, suppressed)

/* By way of variables of its own, since memspy writes four unsigned longs whatever the user's types are. */
#define MEMSPY_COUNT_(request, lost, possible, reachable, suppressed)                                        \
    do {                                                                                                     \
        unsigned long memspy_count_[4] = {0, 0, 0, 0};                                                       \
        VALGRIND_DO_CLIENT_REQUEST_STMT(request, &memspy_count_[0], &memspy_count_[1], &memspy_count_[2],    \
                                        &memspy_count_[3], 0);                                               \
        (lost) = memspy_count_[0];                                                                           \
        (possible) = memspy_count_[1];                                                                       \
        (reachable) = memspy_count_[2];                                                                      \
        (suppressed) = memspy_count_[3];                                                                     \
    } while (0)

/*
 * Stops and starts looking at the program's accesses, for all threads. Heap blocks are followed all the time,
 * so that a block allocated meanwhile is known after; all accessible memory counts as written after. For
 * contention nothing is counted meanwhile, and modelled time stands still. The two do not nest: one START
 * ends any number of STOPs. Statements; nothing happens when not under memspy.
 */
#define MEMSPY_START_INSTRUMENTATION                                                                         \
    VALGRIND_DO_CLIENT_REQUEST_STMT(MEMSPY_REQ_START_INSTRUMENTATION, 0, 0, 0, 0, 0)
#define MEMSPY_STOP_INSTRUMENTATION                                                                          \
    VALGRIND_DO_CLIENT_REQUEST_STMT(MEMSPY_REQ_STOP_INSTRUMENTATION, 0, 0, 0, 0, 0)

/*
 * For memspy's replacements of the string functions only: `function` (a C string that lives as long as the
 * program) was called with operands that overlap. `length` is its argument of that name, or 0 when it has none.
 */
#define _MEMSPY_RECORD_OVERLAP(function, destination, source, length)                                        \
    VALGRIND_DO_CLIENT_REQUEST_STMT(MEMSPY_REQ_RECORD_OVERLAP, (function), (destination), (source),          \
                                    (length), 0)

#endif /* MEMSPY_MEMSPY_H */
