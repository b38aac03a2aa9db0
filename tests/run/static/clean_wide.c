// SPDX-License-Identifier: GPL-2.0-or-later
// PROVES: functions on wide strings of a static program are silent on strings that fill their blocks, too.
// COMPILE: gcc clang -O0 -O2 -static -D_GNU_SOURCE -fno-builtin
// EXPECT: nothing
#include "../strings/clean_wide.c"
