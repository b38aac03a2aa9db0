// SPDX-License-Identifier: GPL-2.0-or-later
//
// The rank of this process in a parallel program: from MPI itself; before MPI's start, or without MPI, from
// environment variables of its launcher (Open MPI's, MPICH's, Slurm's, PMIx').
#pragma once

#include "rt/base.h"

namespace memspy::profile {

struct ProcessRank {
    i32 number = -1;  // -1: not known
    i32 size = -1;
    bool from_mpi = false;
};
ProcessRank rank();

// Sets the rank given by MPI. A negative number: none any more, as in a forked child.
void set_rank(i32 number, i32 size);

// The name of this machine; "" if it has none.
const char* host_name(char* buffer, usize bytes);

// `text` with each %r replaced by the rank's number or, without a rank, by "p" and the process id; "%%"
// stays. The caller frees it with VG_(free).
char* expand_rank(const char* text);

}  // namespace memspy::profile
