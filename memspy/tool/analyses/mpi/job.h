// SPDX-License-Identifier: GPL-2.0-or-later
//
// What all processes of one start of a parallel program have in common.
#pragma once

#include "rt/base.h"

namespace memspy::mpi {

// How many of the program's processes this node has; -1: not known.
i64 processes_here();

// The path of a file for `what` in the folder that no other start has.
void write_job_path(const char* folder, const char* what, char* path, usize bytes);
// The same for processes of one node: the launcher's process there is part of the name.
void write_node_path(const char* folder, const char* what, char* path, usize bytes);

}  // namespace memspy::mpi
