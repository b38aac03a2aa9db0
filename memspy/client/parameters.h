// SPDX-License-Identifier: GPL-2.0-or-later
//
// Memory that a library is about to read or write for the program, as an analysis that knows the library's
// calls finds it in their parameters.
#pragma once

#include "rt/base.h"

namespace memspy::client {

struct Parameter {
    const char* name;  // "MPI_Send(buf)"; lives as long as the call
    Address begin;
    usize bytes;
    bool values;  // the bytes are read, so they must be defined
};

// The analysis that judges them; at most one. Not called while instrumentation is off. Returns true if it
// reported something.
using ParameterJudge = bool (*)(u32 thread, const Parameter& parameter);
void judge(ParameterJudge judge);
bool tell_parameter(u32 thread, const Parameter& parameter);

}  // namespace memspy::client
