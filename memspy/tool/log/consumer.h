// SPDX-License-Identifier: GPL-2.0-or-later
//
// Consumers of the access log: analyses of the accesses of the program's threads.
//
// A consumer fills a Consumer and calls attach() once the command line is known (an analysis: in its
// start()). Its events, for each thread in the thread's order:
//
//   begin(t)                   the thread's accesses are logged from here on; it is not in client code now
//   records(t, first, end)     the thread's next records, whole and consecutive (for_each_record); end[1] has
//                              the number of instructions without accesses behind the last record. Called
//                              when the thread leaves client code or its chunk is full. So in a system call,
//                              a client request or a function of the malloc family, all records have been
//                              passed on, and stretches of threads alternate as the core ran them. `first`
//                              may be `end`. The memory is the log's own and is used again after the call.
//   thread_gone(t)             its last record has been passed on
//   forked(t)                  in a forked child, in which `t` is the only thread
//
// The core runs one thread after the other, which is not the order in which several processors would run
// them. A consumer can have the replay's order instead (request_replay_order()). It then gets the same
// records in two other events:
//
//   foreseen(t, first, end)    after records(), if `ordered` is not called at once. What depends on the present
//                              state of memory and code has to be looked up here, and kept (foreseen.h)
//   ordered(t, first, end)     later: a stretch of t's records with no other thread's records in between
//
// Until the second thread is created, `ordered` is called at once and `foreseen` is not called (is_kept()).
// Helpers (threads::is_helper()) do not count for that.
// Records in which a thread waits for a lock have no accesses here: the replay decides how long that takes.
//
// Accesses of a system call come as a record of no instructions, when the call is over.
//
// A record's `time` is the number of instructions since the record before that belong to no record (code
// without accesses).
//
// Logging begins at the program's first instruction if a consumer has `from_start`. The other consumers get
// records from the creation of the second thread on. Logging ends with the last thread. While instrumentation
// is switched off, nothing is logged.
//
// One consumer may *keep* records after the call: it gives the log its memory, and is called last (keeper.h).
//
// Consumers depend neither on IR nor on the core: a test feeds one with literal records
// (tests/unit/consumer_test.cc).
#pragma once

#include "log/records.h"
#include "log/word_sample.h"
#include "threads/thread.h"

namespace memspy::log {

struct Consumer {
    bool from_start = false;
    bool passes_quiet = false;  // does not need quiet accesses (quiet_lines.h)
    // Functions may be null.
    void (*begin)(threads::Thread t) = nullptr;
    void (*records)(threads::Thread t, const u64* first, const u64* end) = nullptr;
    void (*thread_gone)(threads::Thread t) = nullptr;
    void (*forked)(threads::Thread t) = nullptr;
    void (*ordered)(threads::Thread t, const u64* first, const u64* end) = nullptr;
    void (*foreseen)(threads::Thread t, const u64* first, const u64* end) = nullptr;
    // How much longer a stretch in the replay's order may be, in instructions, while another thread's records
    // have an earlier time: an exact order costs much. Asked before each stretch; without it the order is
    // exact.
    u64 (*slack)() = nullptr;
    // A consumer from the start that is content with a sample (word_sample.h): what it wants of the thread
    // from here on. Asked whenever records have been read. `now`: the thread's present time in the records,
    // if they are kept. The log is sampled if all consumers are content with that. With several threads its
    // records() have what was executed before each record in the place of its time.
    WordSample (*sample)(threads::Thread t, u64 now) = nullptr;
};
void attach(const Consumer& consumer);

// An analysis that wants the replay's order requests it in check_options(), before any analysis starts.
void request_replay_order();
bool is_replay_order_wanted();
// Whether no consumer needs quiet accesses. Once all have been attached.
bool is_quiet_passed();
bool is_sampled();             // at present
bool is_sampled_by_threads();  // once several threads run
bool is_kept();                // the records are kept (keeper.h), so `ordered` is called later
// Passes on all records that have been read. For the end of the run.
void settle();
u64 times_forced();

// Calls f(record, shape) for each record of [at, end).
template <typename F>
void for_each_record(const u64* at, const u64* end, F f) {
    while (at != end) {
        const auto& record = *reinterpret_cast<const Record*>(at);
        f(record, shape(record.shape));
        at += record_words(record.shape);
    }
}

// Calls f(use, address) for each access of the record that happened, in order.
template <typename F>
void for_each_access(const Record& record, const Shape& shape, F f) {
    for (const AccessUse& use : shape.uses)
        if (record.reached(use.proof) && (use.word == kNoWord || record.words()[use.word] != 0))
            f(use, record.address(use.word, use.offset));
}

}  // namespace memspy::log
