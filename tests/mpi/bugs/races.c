// SPDX-License-Identifier: GPL-2.0-or-later
//
// Messages that a receive of any rank may or may not get, after which the program is stuck or a buffer too short;
// and programs that take what comes without being hurt.
#include "bugs.h"

#define IGNORED MPI_STATUS_IGNORE
static void send(int to, int tag) { MPI_Send(in, 1, MPI_INT, to, tag, world); }
static void receive(int from, int tag) { MPI_Recv(out, 1, MPI_INT, from, tag, world, IGNORED); }

// The last messages come from a rank that hears when the others have sent theirs, but not whether they arrived.
BUG(loop_takes_last_messages, "MpiRace|MpiDeadlock", 4) {
    const int tag = wrong ? 0 : 1;
    if (rank == 0) {
        for (int i = 0; i < 4; ++i) receive(MPI_ANY_SOURCE, tag);
        receive(3, 0);
        receive(3, 0);
    } else if (rank == 3) {
        for (int i = 1; i < 3; ++i) {
            receive(i, 0);
            send(0, 0);
        }
    } else {
        for (int i = 0; i < 2; ++i) send(0, tag);
        send(3, 0);
    }
}
BUG(loop_of_begun_receives, "MpiRace|MpiDeadlock", 3) {
    MPI_Request requests[3];
    if (rank == 0) {
        MPI_Irecv(out, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, world, &requests[0]);
        MPI_Irecv(out + 1, 1, MPI_INT, wrong ? 2 : MPI_ANY_SOURCE, 5, world, &requests[1]);
        MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    } else {
        send(0, 5);
    }
}
BUG(any_tag_before_named_tag, "MpiRace|MpiDeadlock", 3) {
    if (rank == 0) {
        receive(MPI_ANY_SOURCE, wrong ? MPI_ANY_TAG : 1);
        receive(MPI_ANY_SOURCE, wrong ? 1 : MPI_ANY_TAG);
    } else {
        send(0, rank);
    }
}
BUG(begun_before_collective, "MpiRace|MpiDeadlock", 4) {
    MPI_Request requests[2];
    if (rank == 1) MPI_Irecv(out, 1, MPI_INT, wrong ? MPI_ANY_SOURCE : 2, MPI_ANY_TAG, world, &requests[0]);
    MPI_Bcast(in, 1, MPI_INT, 0, world);
    if (rank == 0 || rank == 2) send(1, 0);
    if (rank == 1) {
        MPI_Irecv(out + 1, 1, MPI_INT, 0, MPI_ANY_TAG, world, &requests[1]);
        MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    }
}
BUG(first_is_short, "MpiRace|MpiTruncation", 3) {
    if (rank == 0) {
        MPI_Recv(out, wrong ? 2 : 4, MPI_INT, MPI_ANY_SOURCE, 0, world, IGNORED);
        MPI_Recv(out + 8, 4, MPI_INT, MPI_ANY_SOURCE, 0, world, IGNORED);
    } else {
        MPI_Send(in, 2 * rank, MPI_INT, 0, 0, world);
    }
}
BUG(persistent_of_any, "MpiRace|MpiDeadlock", 3) {
    MPI_Request request;
    if (rank == 0) {
        MPI_Recv_init(out, 1, MPI_INT, wrong ? MPI_ANY_SOURCE : 1, 0, world, &request);
        for (int i = 0; i < 2; ++i) {
            MPI_Start(&request);
            MPI_Wait(&request, IGNORED);
            receive(2, 0);
        }
        MPI_Request_free(&request);
    } else {
        send(0, 0);
        send(0, 0);
    }
}
BUG(sendrecv_of_any, "MpiRace|MpiDeadlock", 3) {
    if (rank == 0) {
        MPI_Sendrecv(in, 1, MPI_INT, 1, 1, out, 1, MPI_INT, wrong ? MPI_ANY_SOURCE : 1, 0, world, IGNORED);
        receive(2, 0);
    } else {
        if (rank == 1) receive(0, 1);
        send(0, 0);
    }
}

// --- correct: what is received says who is served next

BUG(farm_with_answers, "MpiDeadlock", 3) {
    MPI_Status status;
    int done = 0;
    if (rank == 0) {
        for (int open = ranks - 1; open > (wrong ? -1 : 0);) {
            MPI_Recv(out, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, world, &status);
            if (status.MPI_TAG == 9) --open;
            if (status.MPI_TAG != 9) MPI_Send(&done, 1, MPI_INT, status.MPI_SOURCE, 0, world);
        }
    } else {
        for (int i = 0; i < 3; ++i) {
            send(0, 1);
            receive(0, 0);
        }
        send(0, 9);
    }
}
// The body is asked for from the rank that the head came from.
BUG(head_and_body, "MpiTruncation", 3) {
    MPI_Status status;
    int size = 10 * rank;
    if (rank == 0) {
        for (int i = 1; i < ranks; ++i) {
            MPI_Recv(&size, 1, MPI_INT, MPI_ANY_SOURCE, 0, world, &status);
            MPI_Recv(out, wrong ? 5 : size, MPI_INT, status.MPI_SOURCE, 0, world, IGNORED);
        }
    } else {
        MPI_Send(&size, 1, MPI_INT, 0, 0, world);
        MPI_Send(in, size, MPI_INT, 0, 0, world);
    }
}
BUG(probes_for_size, "MpiDeadlock", 3) {
    MPI_Status status;
    for (int i = 1; i < ranks + wrong && rank == 0; ++i) {
        int size;
        MPI_Probe(MPI_ANY_SOURCE, MPI_ANY_TAG, world, &status);
        MPI_Get_count(&status, MPI_INT, &size);
        MPI_Recv(out, size, MPI_INT, status.MPI_SOURCE, status.MPI_TAG, world, IGNORED);
    }
    if (rank != 0) MPI_Send(in, 7 * rank, MPI_INT, 0, rank, world);
}
BUG(receives_any_after_probe, "MpiRace|MpiTruncation", 3) {
    MPI_Status status;
    for (int i = 1; i < ranks && rank == 0; ++i) {
        int size;
        MPI_Probe(MPI_ANY_SOURCE, 0, world, &status);
        MPI_Get_count(&status, MPI_INT, &size);
        MPI_Recv(out, size, MPI_INT, wrong ? MPI_ANY_SOURCE : status.MPI_SOURCE, 0, world, IGNORED);
    }
    if (rank != 0) MPI_Send(in, 7 * rank, MPI_INT, 0, 0, world);
}
// Results are sent only when all have said that they are ready.
BUG(ready_then_results, "MpiDeadlock", 3) {
    if (rank == 0) {
        for (int i = 1; i < ranks; ++i) receive(MPI_ANY_SOURCE, 0);
        for (int i = 1; i < ranks; ++i) send(i, 0);
        for (int i = ranks - 1; i > -wrong; --i) receive(i, 0);
    } else {
        send(0, 0);
        receive(0, 0);
        send(0, 0);
    }
}
BUG(phases_of_any, "MpiLeak", 3) {
    for (int phase = 0; phase < 2; ++phase) {
        for (int i = 1; i < ranks && rank == 0; ++i)
            MPI_Recv(out, phase == 0 ? 2 : 4, MPI_INT, MPI_ANY_SOURCE, 0, world, IGNORED);
        if (rank != 0) MPI_Send(in, phase == 0 ? 2 : 4, MPI_INT, 0, 0, world);
        MPI_Barrier(world);
    }
    if (rank == 1 && wrong) send(0, 3);
    MPI_Barrier(world);
}
BUG(token_ring_of_any, "MpiDeadlock", 4) {
    const int rounds = 3;
    for (int i = 0; i < rounds; ++i) {
        if (rank == 0) send(1, i);
        receive(MPI_ANY_SOURCE, wrong && rank == 2 && i == 2 ? i - 1 : i);
        if (rank != 0) send((rank + 1) % ranks, i);
    }
}
BUG(halo_of_any, "MpiDeadlock", 4) {
    MPI_Request requests[2];
    const int left = (rank + 3) % 4, right = (rank + 1) % 4;
    for (int step = 0; step < 2; ++step) {
        MPI_Irecv(out, 4, MPI_INT, MPI_ANY_SOURCE, 2 * step, world, &requests[0]);
        MPI_Irecv(out + 4, 4, MPI_INT, MPI_ANY_SOURCE, 2 * step + 1, world, &requests[1]);
        MPI_Send(in, 4, MPI_INT, left, 2 * step, world);
        MPI_Send(in, 4, MPI_INT, right, wrong ? 2 * step : 2 * step + 1, world);
        MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    }
}
