// SPDX-License-Identifier: GPL-2.0-or-later
//
// The stations between generated code, which writes the log, and its consumers: each thread's place in its
// chunk while it runs, how far it has been read, and when logging begins and ends. No Valgrind here.
//
// While no consumer keeps records, each thread has one chunk, which is emptied after each reading.
#pragma once

#include "log/consumer.h"
#include "places/place.h"
#include "threads/registry.h"

namespace memspy::log {

// The side that writes the log; instrument/ fills it in.
struct Writer {
    // A thread's cursor, while it is in no client code.
    u64* (*cursor)(u32 guest_id) = nullptr;
    void (*set_cursor)(u32 guest_id, u64* cursor) = nullptr;
    places::Place (*place)(u32 guest_id) = nullptr;  // where the thread is
    void (*write)(bool on) = nullptr;                // code writes the log from now on, or no more
    bool (*is_enabled)() = nullptr;                  // instrumentation is switched on
    u32 line_bytes = 64;
    // The system call without its stores: the core takes every futex call that does not fail for a
    // store to the word.
    u32 futex = ~u32{0};
};

// After the consumers have been attached, before the first thread. Nothing is done without consumers.
void start(const Writer& writer);
bool is_writing();

// Listens to the registry: behind those who must know of a thread before consumers do.
threads::ThreadListener thread_events();

// The running thread's chunk is full up to `end`. Where it goes on, and whether it should let others run.
struct NextRoom {
    u64* at;
    bool yield;
};
NextRoom chunk_full(u32 guest_id, u64* end);

}  // namespace memspy::log
