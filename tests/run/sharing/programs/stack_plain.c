// SPDX-License-Identifier: GPL-2.0-or-later
// The same without optimisation, where clang finds variables from the frame pointer.
// EXPECT: FalseSharing 'counters of main' 'Put counters.(read|parsed|written) of main .thread [0-9]., .* on lines of their own.*To change: counters of main' plain
#include "stack_members.c"
