// SPDX-License-Identifier: GPL-2.0-or-later
//
// A program of sessions (MPI 4), without MPI_Init: a ring of messages in a communicator made from the set of all processes in
// reverse order, twice. What rank 0 begins at the end is never completed.
#include <mpi.h>
#include <stdio.h>

static void go_around(MPI_Session session, const char* tag, int forget) {
    MPI_Group all, reversed;
    MPI_Comm ring;
    int size, rank, from = -1;
    MPI_Group_from_session_pset(session, "mpi://WORLD", &all);
    MPI_Group_size(all, &size);
    int range[3] = {size - 1, 0, -1};
    MPI_Group_range_incl(all, 1, &range, &reversed);
    MPI_Comm_create_from_group(reversed, tag, MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &ring);  // expect: 0 MpiLeak // expect: 1 MpiLeak
    MPI_Comm_rank(ring, &rank);
    MPI_Sendrecv(&rank, 1, MPI_INT, (rank + 1) % size, 3, &from, 1, MPI_INT, (rank + size - 1) % size, 3, ring, MPI_STATUS_IGNORE);
    if (from != (rank + size - 1) % size) puts("wrong");
    MPI_Request request;
    if (forget && rank == size - 1) MPI_Irecv(&from, 1, MPI_INT, 0, 4, ring, &request);  // expect: 0 MpiRequest
    MPI_Group_free(&all);
    MPI_Group_free(&reversed);
    if (!forget) MPI_Comm_free(&ring);
}

int main(void) {
    MPI_Session first, second;
    MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &first);
    go_around(first, "first", 0);
    MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &second);
    MPI_Session_finalize(&first);
    go_around(second, "second", 1);
    MPI_Session_finalize(&second);
    return 0;
}
