// SPDX-License-Identifier: GPL-2.0-or-later
//
// The stations between generated code, which writes the log, and its consumers: each thread's place in its
// chunk while it runs, how far the log has been read, and when logging begins and ends. No Valgrind here.
//
// If no consumer keeps records, each thread has one chunk, which is emptied after each reading.
#pragma once

#include "log/consumer.h"
#include "places/place.h"
#include "threads/registry.h"

namespace memspy::log {

// The side that writes the log. instrument/ sets these functions.
struct Writer {
    // A thread's cursor. The thread must not be in client code.
    u64* (*cursor)(u32 guest_id) = nullptr;
    void (*set_cursor)(u32 guest_id, u64* cursor) = nullptr;
    // The thread's bit in quiet lines. `first`: it has not run since its logging began. May be null.
    void (*set_quiet_bit)(u32 guest_id, u64 bit, bool first) = nullptr;
    // In a sampled log, what is wanted of the next accesses of the thread, which is about to run. May be
    // null.
    void (*set_sample)(u32 guest_id, const WordSample& sample) = nullptr;
    void (*follow_several)() = nullptr;  // of a log that was sampled: several threads run from now on
    // Completes what generated code has written at the cursor. May be null.
    void (*settle)(u32 guest_id) = nullptr;
    places::Place (*place)(u32 guest_id) = nullptr;  // where the thread runs
    void (*write)(bool on) = nullptr;                // starts or stops the writing of the log by translations
    bool (*is_enabled)() = nullptr;                  // instrumentation is switched on
    bool (*is_helper)(threads::Thread t) = nullptr;  // null: there are none
    u32 line_bytes = 64;
    // The system call whose stores are ignored: the core reports every futex call that succeeds as a store to
    // the word.
    u32 futex = ~u32{0};
};

// Call after the consumers have been attached, before the first thread. Does nothing without consumers.
void start(const Writer& writer);
bool is_writing();
// Logging begins, as if there were a second thread, but not where the order is replayed. The running thread must
// not be in client code.
void follow_one_thread();

// The listener for the registry. Register it behind listeners that must know of a thread before consumers do.
threads::ThreadListener thread_events();

// The running thread's chunk is full up to `end`. Returns the next place, and whether the thread should let
// others run.
struct NextRoom {
    u64* at;
    bool yield;
    u64 quiet_bit;
    WordSample sample;
};
NextRoom chunk_full(u32 guest_id, u64* end);
// This is the running thread's last record, of a plain shape, and that its bit in quiet lines.
void written(u32 guest_id, const Record& record, u64 bit);
// The same, of any shape, if stores are watched. Returns how many superblocks the thread may run before others do.
bool are_stores_watched();
u32 stored(u32 guest_id, const Record& record);

}  // namespace memspy::log
