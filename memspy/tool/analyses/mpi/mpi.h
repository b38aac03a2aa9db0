// SPDX-License-Identifier: GPL-2.0-or-later
//
// The communication analysis of the program's MPI calls. It costs nothing in a program without MPI: the
// preloaded wrappers (preload/mpi.c) report the calls by client requests.
#pragma once

#include "analyses/mpi/communication.h"

namespace memspy::mpi {

// For a program that has initialised MPI: from then on the profile has its section.
const Communication& communication();

}  // namespace memspy::mpi
