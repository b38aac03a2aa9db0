// SPDX-License-Identifier: GPL-2.0-or-later
//
// What Valgrind's error XML (`--xml=yes`) says, as records; docs/valgrind-xml.rng is its schema. Text is in
// the reader's StringPool.
#pragma once

#include <vector>

#include "report/model.h"

namespace memspy::report {

struct ErrorFrame {
    Text ip, object, fn, dir, file;
    u64 line = 0;
};

// Lines of text and stacks as they follow each other: what a stack is about stands before it.
struct ErrorPart {
    Text text;  // of an auxiliary line; empty for the first part
    std::vector<ErrorFrame> stack;
};

struct Error {
    Text unique, kind, what;
    u64 thread = 0;
    Text thread_name;
    u64 leaked_bytes = 0, leaked_blocks = 0;
    std::vector<ErrorPart> parts;  // the first is that of the error itself
    Text suppression;              // as it stands in a suppression file, where the run was asked for it
};

// The program was ended by a signal.
struct FatalSignal {
    u64 thread = 0;
    Text name, address;
    std::vector<ErrorFrame> stack;
};

struct ErrorRun {
    Text tool, protocol;
    u64 pid = 0, ppid = 0;
    std::vector<Text> preamble;
    Text exe;
    std::vector<Text> arguments;
    std::vector<Text> options;
};

class ErrorHandler {
public:
    virtual ~ErrorHandler() = default;
    // Before the first error.
    virtual void run(const ErrorRun&) {}
    virtual void error(const Error&) {}
    // At the end of a run that came to it.
    virtual void finished() {}
    // An error, by its `unique`, happened so often.
    virtual void error_count(Text /*unique*/, u64 /*count*/) {}
    // A suppression, by name, hid N.
    virtual void suppression_count(Text /*name*/, u64 /*count*/) {}
    virtual void fatal_signal(const FatalSignal&) {}
};

}  // namespace memspy::report
