// SPDX-License-Identifier: GPL-2.0-or-later
//
// The communication analysis of the program's MPI calls. It costs nothing in a program without MPI: the
// preloaded wrappers (preload/mpi.c) report the calls by client requests.
#pragma once

#include "analyses/mpi/message_races.h"
#include "analyses/mpi/rank_waits.h"

namespace memspy::mpi {

// For a program that has initialised MPI: from then on the profile has its section.
const Communication& communication();
const RankWait&
reported_wait();  // the call that the rank was in when it was ended; its `call` is null if there is none
const rt::Vector<LeftMessage>& left_messages();  // that were reported
// Receives of any rank, by place, where the program has called MPI_Finalize.
const rt::Vector<MessageRaces::OpenReceives>& open_receives();

}  // namespace memspy::mpi
