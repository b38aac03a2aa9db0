// SPDX-License-Identifier: GPL-2.0-or-later
//
// The keeper of the access log: the consumer that gives the log its memory, keeps records after the call, and
// passes them on in the replay's order. There is at most one, and from the second thread on it is in charge:
// the room `order` here is (order/follow.cc). It is told of everything as other consumers are (consumer.h),
// after them.
#pragma once

#include "log/consumer.h"

namespace memspy::log {

struct Keeper {
    Consumer
        told;  // what it hears as any consumer; its records() may write to the words behind the last record
    // With several threads: needs no more than a sample (word_sample.h) and what the order of threads depends
    // on.
    bool only_orders = false;
    // The records of the only thread, before it is in charge, if they are written for somebody else; may be
    // null.
    void (*alone)(threads::Thread t, const u64* first, const u64* end) = nullptr;

    // The log's memory: the place of the thread's next record, with zeros up to the chunk's end; and another
    // chunk instead of a full one. That returns true if the thread should let others run now.
    u64* (*room)(threads::Thread t) = nullptr;
    bool (*renew)(threads::Thread t) = nullptr;

    // The thread's bit in quiet lines (quiet_lines.h) until it is asked for again; null: none.
    u64 (*quiet_bit)(threads::Thread t) = nullptr;
    // The running thread, which has that bit, has written this record, of a plain shape; may be null.
    void (*written)(threads::Thread t, const Record& record, u64 bit) = nullptr;
    // The same, of any shape, in slices that began with watch_stores(true). Returns how many superblocks the thread may
    // run before others do.
    u32 (*stored)(threads::Thread t, const Record& record) = nullptr;
    // Of a sampled log: the thread's present time, and whether all its accesses are to be logged in its next
    // slice or chunk.
    u64 (*time)(threads::Thread t) = nullptr;
    bool (*follows)(threads::Thread t) = nullptr;

    // Passes on all records that are left (tell_in_order), as if every thread had ended.
    void (*settle)() = nullptr;
    // How often its memory was full, so that records were passed on too early.
    u64 (*forced)() = nullptr;
};
void attach(const Keeper& keeper);
// For the keeper: whether it wants to hear of stores in the slice that begins.
void watch_stores(bool on);

// For the keeper: a stretch in the replay's order, which goes to all consumers that want it.
void tell_in_order(threads::Thread t, const u64* first, const u64* end);
u64 order_slack();  // the least that a consumer allows

}  // namespace memspy::log
