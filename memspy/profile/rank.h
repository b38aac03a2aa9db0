// SPDX-License-Identifier: GPL-2.0-or-later
//
// Which one of several processes of a parallel program this is: by MPI itself, and before that, or
// without MPI, by what its launcher (Open MPI's, MPICH's, Slurm's, PMIx') has put into the environment.
#pragma once

#include "rt/base.h"

namespace memspy::profile {

struct ProcessRank {
    i32 number = -1;  // -1: not known
    i32 size = -1;
    bool from_mpi = false;
};
ProcessRank rank();

// What MPI says. A negative number: nothing any more, as in a forked child.
void set_rank(i32 number, i32 size);

// What this machine is called, "" when it does not say.
const char* host_name(char* buffer, usize bytes);

// `text` with each %r replaced by the rank's number, or by "p" and the process id where there is none; "%%" stays.
// To be freed by VG_(free).
char* expand_rank(const char* text);

}  // namespace memspy::profile
