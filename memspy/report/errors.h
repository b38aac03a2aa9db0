// SPDX-License-Identifier: GPL-2.0-or-later
//
// Valgrind's error XML (`--xml=yes`) as records; docs/valgrind-xml.rng is its schema. Text is in the reader's
// StringPool.
#pragma once

#include <string>
#include <vector>

#include "report/model.h"

namespace memspy::report {

struct ErrorFrame {
    Text ip, object, fn, dir, file;
    u64 line = 0;
};

// Lines of text and stacks in their order: the text before a stack describes it.
struct ErrorPart {
    Text text;  // of an auxiliary line; empty for the first part
    std::vector<ErrorFrame> stack;
};

// One step of the advice on a finding, as data (advice/advice.h).
struct ErrorRemedy {
    std::string remedy, object, means;
    u64 bytes = 0, stride = 0;
    u64 removes = 0, events = 0;  // of all events, with the steps before; 0: not told
    double gain = 0;              // 0: not told
};

struct Error {
    Text unique, kind, what;
    Text first_what;  // as the run said it, if names have been added to `what` since
    u64 thread = 0;
    Text thread_name;
    u64 leaked_bytes = 0, leaked_blocks = 0;
    std::vector<ErrorPart> parts;       // the first is that of the error itself
    Text suppression;                   // as in a suppression file, if the run was asked for it
    std::vector<ErrorRemedy> remedies;  // known where a profile has the finding
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
    // Called before the first error.
    virtual void run(const ErrorRun&) {}
    virtual void error(const Error&) {}
    // Called at the end of a complete run.
    virtual void finished() {}
    // The number of times that an error, identified by its `unique`, happened.
    virtual void error_count(Text /*unique*/, u64 /*count*/) {}
    // The number of errors that a suppression hid.
    virtual void suppression_count(Text /*name*/, u64 /*count*/) {}
    virtual void fatal_signal(const FatalSignal&) {}
};

// The whole content of an error XML file.
struct ErrorFile {
    std::string path;
    ErrorRun run;
    bool finished = false;
    std::vector<Error> errors;
    std::vector<u64> counts;  // how often each happened; 1 for errors without a count (leaks)
    struct Suppressed {
        Text name;
        u64 count = 0;
    };
    std::vector<Suppressed> suppressed;
    std::vector<FatalSignal> signals;
};

}  // namespace memspy::report
