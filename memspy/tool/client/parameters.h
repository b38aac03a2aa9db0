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

// Memory whose values belong to the library for a while, since it may write them at any time: to use one is
// an error, which names the call that `thread` is in. Only memory with nothing but defined bytes is kept so;
// returns whether it is. The library's own stores end that byte by byte, return_values() for the range.
bool keep_values(u32 thread, Address begin, usize bytes);
void return_values(Address begin, usize bytes);
struct ValueKeeper {
    bool (*keep)(u32 thread, Address begin, usize bytes) = nullptr;
    void (*give_back)(Address begin, usize bytes) = nullptr;
};
void judge(const ValueKeeper& keeper);

}  // namespace memspy::client
