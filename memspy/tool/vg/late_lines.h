// SPDX-License-Identifier: GPL-2.0-or-later
//
// Lines and inlined calls of a module are read when the first of them is asked for: most runs have nothing to
// report, and they are half of what a short run costs (DESIGN.md). On AMD64, with cores before 3.22, which do
// not do so themselves.
#pragma once

#include "vg/line_reader.h"

namespace memspy::vg {

// What the core hands its reader of inlined calls besides the module: 14 parts of files or more, by value. What
// stands behind them on the stack does no harm.
struct FileParts {
    FilePart part[20];
};

// Keep what the reader needs to run later. False if it has to run now. `is_of_system`: its file is in one of
// the system's folders.
bool are_lines_read_later(_DebugInfo* module, bool is_of_system, const LineParts& parts);
bool are_inlined_calls_read_later(_DebugInfo* module, bool is_of_system, const FileParts& parts);

// Whether there are lines that were not read yet.
bool has_late_lines();

// While it lives, nobody's question has the lines of the system's libraries read. What is written meanwhile has
// those that were read before, and a report looks up the others.
class LeaveSystemLines {
public:
    LeaveSystemLines();
    ~LeaveSystemLines();
    LeaveSystemLines(const LeaveSystemLines&) = delete;
    LeaveSystemLines& operator=(const LeaveSystemLines&) = delete;
};

// What was not read yet is read now, and that of further modules when they are loaded.
void read_no_later();

// The call may take files from the program's sight: what is not read yet of them is read first.
void read_before_call(u32 number, const u64* arguments);

}  // namespace memspy::vg
