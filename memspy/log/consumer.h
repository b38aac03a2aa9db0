// SPDX-License-Identifier: GPL-2.0-or-later
//
// Consumers of the access log: analyses of the accesses of the program's threads.
//
// A consumer fills a Consumer and calls attach() once the command line is known (an analysis: in its start()).
// Its events, for each thread in the thread's order:
//
//   begin(t)                   the thread's accesses are logged from here on; it is not in client code now
//   records(t, first, end)     what it did next: whole records, one behind the other (for_each_record); behind
//                              the last one, in end[1], stands how many instructions without accesses end the
//                              stretch. Told when the
//                              thread leaves client code or its chunk is full, so whenever it is in a system
//                              call, a client request or a function of the malloc family, all has been passed on,
//                              and stretches of threads alternate as the core ran them. `first` may be `end`.
//                              The memory is the log's own and is used again after the call.
//   thread_gone(t)             its last record has been passed on
//   forked(t)                  in a forked child, in which `t` alone lives on
//
// Accesses of a system call come as a record of no instructions, when the call is over.
//
// A record's `time` is the number of instructions since the record before that belong to none (code without
// accesses).
//
// Logging begins at the program's first instruction when a consumer says `from_start`; those that do not are
// told from the moment on at which the second thread is made. It ends with the last thread. While
// instrumentation is switched off nothing is logged.
//
// One consumer may *keep* records beyond the call: it gives the log its room (`room`, `renew`), may write to
// what it was told, and is told last.
//
// Consumers know neither IR nor the core: a test feeds one with literal records (tests/unit/consumer_test.cc).
#pragma once

#include "log/records.h"
#include "threads/thread.h"

namespace memspy::log {

struct Consumer {
    bool from_start = false;
    bool as_logged = false;  // from the first instruction on if some other consumer asks for that
    // Null functions are not called.
    void (*begin)(threads::Thread t) = nullptr;
    void (*records)(threads::Thread t, const u64* first, const u64* end) = nullptr;
    void (*thread_gone)(threads::Thread t) = nullptr;
    void (*forked)(threads::Thread t) = nullptr;
    // Of the one that keeps records: where the thread's next record goes, zeros up to the chunk's end; and
    // another chunk in place of one that is full, true when the thread should let others run now.
    u64* (*room)(threads::Thread t) = nullptr;
    bool (*renew)(threads::Thread t) = nullptr;
};
void attach(const Consumer& consumer);

// Calls f(record, shape) for each record of [at, end).
template <typename F>
void for_each_record(const u64* at, const u64* end, F f) {
    while (at != end) {
        const auto& record = *reinterpret_cast<const Record*>(at);
        f(record, shape(record.shape));
        at += record_words(record.shape);
    }
}

// Calls f(use, address) for each access of the record that was made, in order.
template <typename F>
void for_each_access(const Record& record, const Shape& shape, F f) {
    for (const AccessUse& use : shape.uses)
        if (record.reached(use.proof) && (use.word == kNoWord || record.words()[use.word] != 0))
            f(use, record.address(use.word, use.offset));
}

}  // namespace memspy::log
