// SPDX-License-Identifier: GPL-2.0-or-later
//
// What the functions of MPI are, by their numbers in requests/mpi_calls.def. No Valgrind here.
#pragma once

#include "requests/mpi.h"
#include "rt/base.h"

namespace memspy::mpi {

enum class Pattern : u8 { PointToPoint, OneToAll, AllToOne, AllToAll, OneSided, FileAccess, Local };
Pattern pattern_of(u32 call);
const char* word_of(Pattern pattern);  // "point to point"
const char* name_of(u32 call);         // "MPI_Send"
bool is_collective(u32 call);
bool is_nonblocking_collective(u32 call);
bool is_persistent_collective(u32 call);  // makes a request that can be started
bool makes_persistent(u32 call);          // the same for messages, too
bool begins_split_access(u32 call);       // to a file: MPI_File_read_all_begin
bool begins_file_read(u32 call);          // such a one, or a request
bool marks_ready(u32 call);               // partitions of a message: MPI_Pready
bool is_receive(u32 call);                // its request's status tells what arrived
// All ranks of the communicator make these calls in the same order, and none of them can rely on leaving
// before all have arrived. So the time that a rank waits for another follows from their arrival times.
// Neighbours wait for each other only.
bool is_blocking_collective(u32 call);
// All ranks of the communicator, window or file make these calls in the same order, whether they wait in them or
// not.
bool is_in_order(u32 call);
bool asks_only(u32 call);        // whether something has come: MPI_Test. To ask in vain is no progress
bool waits_for_one(u32 call);    // of several requests: MPI_Waitany
bool meets_strangers(u32 call);  // processes of another MPI_COMM_WORLD: MPI_Comm_accept

}  // namespace memspy::mpi
