// SPDX-License-Identifier: GPL-2.0-or-later
//
// The communication analysis of the program's calls of MPI. It costs nothing in a program without MPI; the
// calls come as client requests of the preloaded wrappers (preload/mpi.c).
#pragma once

#include "analyses/mpi/communication.h"

namespace memspy::mpi {

// Of a program that has initialised MPI: it has a section in the profile from then on.
const Communication& communication();

}  // namespace memspy::mpi
