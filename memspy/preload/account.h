// SPDX-License-Identifier: GPL-2.0-or-later
//
// mallinfo's figures: the bytes of the program's heap blocks. The other members are the tool's own data and
// stay 0.
#pragma once

#include <malloc.h>
#include <stddef.h>

#include "memspy.h"

// The same as glibc's struct mallinfo2, which older headers do not have.
struct WideAccount {
    size_t members[7];
    size_t in_use;  // uordblks
    size_t more[2];
};

static inline size_t heap_bytes_in_use(void) {
    return (size_t)VALGRIND_DO_CLIENT_REQUEST_EXPR(0, MEMSPY_REQ_HEAP_IN_USE, 0, 0, 0, 0, 0);
}

static inline struct mallinfo heap_account(void) {
    const size_t bytes = heap_bytes_in_use();
    struct mallinfo account = {0};
    account.arena = account.uordblks = (int)bytes;
    return account;
}

static inline struct WideAccount wide_heap_account(void) {
    struct WideAccount account = {{heap_bytes_in_use()}, 0, {0}};
    account.in_use = account.members[0];
    return account;
}
