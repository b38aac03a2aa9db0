// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include "rt/base.h"

void fixture_run(int argument);
void fixture_aligned(int count);
// The test's: the byte at `address`, asked for from the place of the call. `expected` null: nothing is certain.
void fixture_ask(const char* address, void* frame_end, memspy::usize stack_pointer, void* frame_pointer,
                 const char* expected);

// Static variables: their parts, and the lines in frame_fixture.cc.
struct StaticQuestion {
    const void* address;
    memspy::usize bytes;
    const char* path;
    int line;  // 0: compilers differ
};
// Calls the test for each of them.
void fixture_statics(void (*ask)(const StaticQuestion&));
